/** Every route of the services, as they have them: a new one is among them by itself. */
import { problemCodes } from '#lib/problem';
import type { OpenApiDocument } from '../../../../services/api/openapi/build-document.ts';
import { type PipelineService, pipelineServices } from '../../../support/stack.ts';
import { createHarness } from '../../../unit/ingress/harness.ts';
import type { JsonSchema } from './schema-values.ts';

type Parameters = Readonly<Record<string, JsonSchema>>;

export interface FuzzedRoute {
  /** `api GET /v1/sources/{id}` */
  name: string;
  service: 'api' | 'ingress' | 'admin';
  /** The base URL of its service. */
  url: string;
  method: string;
  path: string;
  query: Parameters;
  headers: Parameters;
  /** Whether it answers anyone. */
  isPublic: boolean;
  body?: { schema: JsonSchema; contentType: string };
  /** The codes that it may be refused with; undefined if no document says. */
  codes?: ReadonlySet<string>;
}

const plain = { query: {}, headers: {}, isPublic: true };

/** From the document that the running API gives of itself: building it fails where it lacks a route (services/api/openapi). */
export async function apiRoutes(url: string): Promise<FuzzedRoute[]> {
  const answer = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(10_000) });
  const document = (await answer.json()) as OpenApiDocument;
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([lowerCase, { parameters, requestBody, responses, security }]): FuzzedRoute => {
      const method = lowerCase.toUpperCase();
      const given = parameters.map((each) =>
        resolved<{ name: string; in: string; schema: JsonSchema }>(each, document),
      );
      const parametersIn = (place: string): Parameters =>
        Object.fromEntries(given.filter((each) => each.in === place).map(({ name, schema }) => [name, schema]));
      const [body] = Object.entries(requestBody?.content ?? {}).map(([contentType, { schema }]) => ({
        contentType,
        schema: resolved<JsonSchema>(schema, document),
      }));
      return {
        name: `api ${method} ${path}`,
        service: 'api',
        url,
        method,
        path,
        query: parametersIn('query'),
        headers: parametersIn('header'),
        isPublic: security.length === 0,
        ...(body !== undefined && { body }),
        codes: codesIn(responses),
      };
    }),
  );
}

/** From the app itself, which tells its routes as text alone. */
export async function ingressRoutes(url: string): Promise<FuzzedRoute[]> {
  const { app } = createHarness();
  await app.ready();
  const routes = [...app.printRoutes({ commonPrefix: false }).matchAll(/(\/\S*) \(([A-Z, ]+)\)/g)];
  await app.close();
  if (routes.length === 0) throw new Error('the ingress has no routes');
  return routes.flatMap(([, printed = '', methods = '']) =>
    methods.split(', ').map((method): FuzzedRoute => {
      const path = printed.replace(/:(\w+)/g, '{$1}');
      const name = `ingress ${method} ${path}`;
      return { ...plain, name, service: 'ingress', url, method, path };
    }),
  );
}

/** The routes for operators and probes: every service of the pipeline has them at a port of its own. */
export const adminRoutes = (urlOf: (service: PipelineService) => string): FuzzedRoute[] =>
  pipelineServices.flatMap((service) =>
    ['/metrics', '/livez', '/readyz'].map((path): FuzzedRoute => {
      const name = `admin of ${service} GET ${path}`;
      return { ...plain, name, service: 'admin', url: urlOf(service), method: 'GET', path };
    }),
  );

/** The object that a reference names. */
function resolved<T>(given: object, document: OpenApiDocument): T {
  if (!('$ref' in given)) return given as T;
  const names = String(given.$ref).replace('#/', '').split('/');
  return names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T;
}

/** Codes documented for any request: bytes that are not HTTP belong to no operation. */
const always = ['validation_failed', 'request_timeout'];

function codesIn(responses: object): ReadonlySet<string> {
  const text = JSON.stringify(responses);
  return new Set([...always, ...Object.keys(problemCodes).filter((code) => text.includes(`"${code}"`))]);
}
