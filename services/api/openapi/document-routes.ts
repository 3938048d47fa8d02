import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { buildDocument } from './build-document.ts';
import { pageHeaders, renderPage } from './render-page.ts';

/**
 * `GET /openapi.json` and `GET /docs`, for anyone: what the API is, about itself too. Made once, at the start.
 *
 * @param routes all that need a key
 */
export function documentRoutes(routes: readonly RouteOptions[], { apiUrl }: { apiUrl: string }): RouteOptions[] {
  const own: RouteOptions[] = [
    { method: 'GET', url: '/openapi.json', handler: (request, reply) => send(json, request, reply) },
    { method: 'GET', url: '/docs', handler: (request, reply) => send(page, request, reply) },
  ];
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
