import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { getDocs, getOpenApi, getOpenApiOfVersion, type Operation } from '#lib/api-contract';
import { buildDocument } from './build-document.ts';
import { pageHeaders, renderPage } from './render-page.ts';

/**
 * `GET /openapi.json`, also as `/v1/openapi.json`, and `GET /docs`, for anyone. The document has these routes as well. It is made once, at the start.
 *
 * @param routes all routes that need a key
 */
export function documentRoutes(routes: readonly RouteOptions[], { apiUrl }: { apiUrl: string }): RouteOptions[] {
  const get = (operation: Operation, answer: () => FixedAnswer): RouteOptions => ({
    method: operation.method,
    url: operation.path,
    config: { operation },
    handler: (request, reply) => send(answer(), request, reply),
  });
  const own = [get(getOpenApi, () => json), get(getOpenApiOfVersion, () => json), get(getDocs, () => page)];
  const document = buildDocument([...routes, ...own], { apiUrl });
  const json = fixedAnswer(JSON.stringify(document), { 'content-type': 'application/json; charset=utf-8' });
  const page = fixedAnswer(renderPage(document), pageHeaders);
  return own;
}

interface FixedAnswer {
  text: string;
  headers: Readonly<Record<string, string>>;
}

const fixedAnswer = (text: string, headers: FixedAnswer['headers']): FixedAnswer => ({
  text,
  // It is the same for all, and another only after an upgrade.
  headers: { ...headers, 'cache-control': 'public, max-age=300', etag: `"${hash('sha256', text, 'base64url')}"` },
});

const send = ({ text, headers }: FixedAnswer, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  request.headers['if-none-match'] === headers['etag']
    ? reply.headers(headers).code(304).send()
    : reply.headers(headers).send(text);
