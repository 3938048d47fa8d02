import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { buildDocument } from './build-document.ts';
import type { Operation } from './operation.ts';
import { pageHeaders, renderPage } from './render-page.ts';

const getOpenApi: Operation = {
  tag: 'Documentation',
  id: 'getOpenApi',
  summary: 'Get this document as OpenAPI',
  answers: { 200: { is: 'OpenAPI 3.1', body: { type: 'object' } } },
  isPublic: true,
};
const getOpenApiOfVersion: Operation = {
  ...getOpenApi,
  id: 'getOpenApiOfVersion',
  summary: 'Get this document as OpenAPI, below the version of the API',
};
const getDocs: Operation = {
  tag: 'Documentation',
  id: 'getDocs',
  summary: 'Read this document as a web page',
  answers: { 200: { is: 'A self-contained HTML page', body: { type: 'string' }, contentType: 'text/html' } },
  isPublic: true,
};

/**
 * `GET /openapi.json`, also as `/v1/openapi.json`, and `GET /docs`, for anyone. The document has these routes as well. It is made once, at the start.
 *
 * @param routes all routes that need a key
 */
export function documentRoutes(routes: readonly RouteOptions[], { apiUrl }: { apiUrl: string }): RouteOptions[] {
  const get = (url: string, operation: Operation, answer: () => FixedAnswer): RouteOptions => ({
    method: 'GET',
    url,
    config: { operation },
    handler: (request, reply) => send(answer(), request, reply),
  });
  const own = [
    get('/openapi.json', getOpenApi, () => json),
    get('/v1/openapi.json', getOpenApiOfVersion, () => json),
    get('/docs', getDocs, () => page),
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
