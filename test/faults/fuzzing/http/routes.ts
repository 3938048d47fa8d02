/** Every route of the services, as they have them: a new one is among them by itself. */
import { problemCodes } from '#lib/problem';
import type { OpenApiDocument } from '../../../../services/api/openapi/build-document.ts';
import { createHarness } from '../../../unit/ingress/harness.ts';
import { type ServiceName, serviceNames } from '../../../support/stack.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface FuzzedRoute {
  service: 'api' | 'ingress' | `admin of ${ServiceName}`;
  /** The base URL of its service. */
  url: string;
  method: string;
  /** `/v1/sources/{id}` */
  path: string;
  /** Names of query parameters. */
  query: readonly string[];
  /** Whether it answers anyone. */
  isPublic: boolean;
  body?: { schema: JsonSchema; contentType: string };
  /** The codes that it may be refused with; undefined if no document says. */
  codes?: ReadonlySet<string>;
}

export const nameOf = ({ service, method, path }: FuzzedRoute): string => `${service} ${method} ${path}`;

/** From the document that the running API gives of itself: building it fails where it lacks a route (services/api/openapi). */
export async function apiRoutes(apiUrl: string): Promise<FuzzedRoute[]> {
  const answer = await fetch(`${apiUrl}/openapi.json`, { signal: AbortSignal.timeout(10_000) });
  const document = (await answer.json()) as OpenApiDocument;
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters, requestBody, responses, security }]): FuzzedRoute => {
      const [contentType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      return {
        service: 'api',
        url: apiUrl,
        method: method.toUpperCase(),
        path,
        query: parameters.flatMap((each) => {
          const { in: place, name } = each as { in?: string; name?: string };
          return place === 'query' && name !== undefined ? [name] : [];
        }),
        isPublic: security.length === 0,
        ...(contentType !== undefined &&
          content !== undefined && {
            body: { schema: resolved(content.schema, document) as JsonSchema, contentType },
          }),
        codes: codesIn(responses),
      };
    }),
  );
}

/** From the app itself, which tells its routes as text alone. */
export async function ingressRoutes(ingressUrl: string): Promise<FuzzedRoute[]> {
  const { app } = createHarness();
  await app.ready();
  const lines = app.printRoutes({ commonPrefix: false }).split('\n');
  await app.close();
  const routes = lines.flatMap((line) => {
    const [, path, methods] = /(\/\S*) \(([A-Z, ]+)\)/.exec(line) ?? [];
    return path === undefined ? [] : (methods ?? '').split(', ').map((method) => ({ method, path }));
  });
  if (routes.length === 0) throw new Error(`no routes in\n${lines.join('\n')}`);
  return routes.map(({ method, path }) => ({
    service: 'ingress',
    url: ingressUrl,
    method,
    path: path.replace(/:(\w+)/g, '{$1}'),
    query: ['hub.mode', 'hub.challenge', 'hub.verify_token'],
    isPublic: true,
  }));
}

/** The routes for operators and probes: every service has them at a port of its own. */
export const adminRoutes = (urlOf: (service: ServiceName) => string): FuzzedRoute[] =>
  serviceNames.flatMap((service) =>
    ['/metrics', '/livez', '/readyz'].map((path) => ({
      service: `admin of ${service}` as const,
      url: urlOf(service),
      method: 'GET',
      path,
      query: [],
      isPublic: true,
    })),
  );

export const isAdmin = ({ service }: FuzzedRoute): boolean => service.startsWith('admin');

/** Without references, as far as requests have them. */
function resolved(schema: unknown, document: OpenApiDocument): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) {
    const path = String(schema.$ref).replace('#/', '').split('/');
    return resolved(
      path.reduce<unknown>((at, name) => (at as JsonSchema)[name], document),
      document,
    );
  }
  return schema;
}

/** Codes documented for any request: bytes that are not HTTP belong to no operation. */
const always = ['validation_failed', 'request_timeout'];

function codesIn(responses: object): ReadonlySet<string> {
  const text = JSON.stringify(responses);
  return new Set([...always, ...Object.keys(problemCodes).filter((code) => text.includes(`"${code}"`))]);
}
