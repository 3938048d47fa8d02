/**
 * The API as an OpenAPI 3.1 document: each route's request schemas, by which requests are validated too, and its `config.operation`; the schemas
 * of answers are in `resources/`. Building fails for a route without documentation.
 *
 * Answers are not serialized by these schemas, as the framework could do: a field that a schema forgot would be left out. A test asks every
 * operation of a running API, and checks its answers against them.
 */
import type { RouteOptions } from 'fastify';
import { nullable, type Operation, operationIds, resources, type Schema } from '#lib/api-contract';
import { AppError } from '#lib/runtime';
import { type ObjectSchema, schemaOf } from '../http/route-schema.ts';
import { type DocumentedOperation, operationOf } from './describe-operation.ts';
import { problemSchema } from './errors-of.ts';
import { answerHeaders, requestHeaders } from './headers.ts';
import { type DeliveryOperation, webhooks } from './webhooks/webhooks.ts';

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, DocumentedOperation>>;
  /** The requests that endpoints get, by name. */
  webhooks: Readonly<Record<string, { post: DeliveryOperation }>>;
  components: Record<string, Record<string, object>>;
}

const description = `Each request concerns one tenant: the tenant of the key or, with the admin key, the tenant in \`Hookline-Tenant\`.
Errors are \`application/problem+json\` with a stable \`code\`. A POST with an \`Idempotency-Key\` takes effect once, however often it is
sent. Collections are paged; a \`Link\` header has the URL of the next page. Answers to a key with a rate have \`RateLimit\` and \`RateLimit-Policy\`.`;

const securitySchemes = {
  key: { type: 'http', scheme: 'bearer', description: 'an API key, or the admin key' },
};

/** @param apiUrl the URL for clients; empty: the place where they got the document */
export function buildDocument(routes: readonly RouteOptions[], { apiUrl }: { apiUrl: string }): OpenApiDocument {
  const idOf = ({ config }: RouteOptions) => config?.operation && operationIds.get(config.operation);
  const undocumented = routes.filter((route) => idOf(route) === undefined);
  if (undocumented.length > 0)
    throw new AppError('bug', `the API's document lacks ${undocumented.map(nameOf).join(', ')}`);
  const schemas: Record<string, Schema> = { Problem: problemSchema };
  const paths: OpenApiDocument['paths'] = {};

  for (const { tag, components } of resources) {
    for (const { name, schema } of components) schemas[name] = schema;
    for (const route of routes) {
      const operation = route.config?.operation;
      if (operation?.tag !== tag) continue;
      const takes = bodyOf(operation, route, routes);
      const id = idOf(route) ?? '';
      const requestName = `${id[0]?.toUpperCase()}${id.slice(1)}Request`;
      if (takes !== undefined) schemas[requestName] = takes;
      const path = (paths[route.url.replace(/:(\w+)/g, '{$1}')] ??= {});
      path[String(route.method).toLowerCase()] = operationOf(operation, { id, route, takes, requestName });
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Hookline', version: 'v1', description },
    servers: [{ url: apiUrl === '' ? '/' : apiUrl }],
    tags: resources.map(({ tag, description: what }) => ({ name: tag, description: what })),
    paths,
    webhooks,
    components: { schemas, parameters: requestHeaders, headers: answerHeaders, securitySchemes },
  };
}

const nameOf = ({ method, url }: RouteOptions): string => `${String(method)} ${url}`;

/** A merge patch has some of the fields of a creation, with other values or `null`. */
function bodyOf(
  { patchOf }: Operation,
  route: RouteOptions,
  routes: readonly RouteOptions[],
): ObjectSchema | undefined {
  const { body } = schemaOf(route);
  if (patchOf === undefined || body === undefined) return body;
  const created = routes.find((other) => nameOf(other) === patchOf);
  const { properties = {} } = created === undefined ? {} : (schemaOf(created).body ?? {});
  const patched = Object.entries(properties).filter(([name]) => name in body.properties && !fixed.includes(name));
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(patched.map(([name, schema]) => [name, nullable(schema)])),
  };
}

/** A patch knows their names to say how they are changed, if they are. */
const fixed = ['scheme', 'secret'];
