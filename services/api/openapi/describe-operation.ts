import type { RouteOptions } from 'fastify';
import { type Answer, type Operation, type Parameter, type RouteScope, type Schema, text } from '#lib/api-contract';
import type { ObjectSchema } from '../http/route-schema.ts';
import { scopeOf } from '../keys/scopes.ts';
import { errorAnswers, problemsOf, ref } from './errors-of.ts';
import type { requestHeaders } from './headers.ts';

/** The part of OpenAPI's Operation Object that is used here. */
export interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  /** With a scope: one that the key must have. */
  security: Record<string, string[]>[];
  parameters: object[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: object }> };
  responses: Record<string, object>;
}

interface Described {
  id: string;
  route: RouteOptions;
  /** The body that may be sent, and the name of its shared schema. */
  takes: ObjectSchema | undefined;
  requestName: string;
}

export function operationOf(operation: Operation, { id, route, takes, requestName }: Described): DocumentedOperation {
  const method = String(route.method);
  const { url, config } = route;
  const isPublic = operation.isPublic === true;
  const takesKey = method === 'POST' && config?.idempotencyKey !== 'ignored';
  const { example } = operation;
  const mediaType = operation.patchOf === undefined ? 'application/json' : 'application/merge-patch+json';
  return {
    operationId: id,
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    tags: [operation.tag],
    security: isPublic ? [] : [{ key: scopesOf(scopeOf({ method, config: config ?? {} })) }],
    parameters: [
      ...pathParameters(url),
      ...queryParameters(operation),
      ...(isPublic ? [] : [parameter('tenant')]),
      ...(takesKey ? [parameter('idempotencyKey')] : []),
      ...(operation.conditional === true ? [parameter('ifMatch')] : []),
    ],
    ...(takes !== undefined && {
      requestBody: {
        required: (takes.required ?? []).length > 0 || operation.patchOf !== undefined,
        content: { [mediaType]: { schema: ref(requestName), ...(example !== undefined && { example }) } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, answer]) => [status, answerOf(answer, takesKey)]),
      ),
      ...errorAnswers(problemsOf(operation, { method, url })),
    },
  };
}

const scopesOf = (scope: RouteScope): string[] => (scope === 'any' ? [] : [scope]);

const parameter = (name: keyof typeof requestHeaders): object => ({ $ref: `#/components/parameters/${name}` });

const pathParameters = (url: string): object[] =>
  [...url.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text }));

/** Parameters that stay text until they are checked (http/paging.ts). */
const truthful: Readonly<Record<string, Schema>> = { limit: { type: 'integer', minimum: 1, maximum: 1_000 } };

const queryParameters = ({ query = {} }: Operation): object[] =>
  Object.entries<Parameter>(query).map(([name, { schema, required = false, description }]) => ({
    name,
    in: 'query',
    required,
    ...(description !== undefined && { description }),
    schema: truthful[name] ?? schema,
  }));

function answerOf({ is, body, contentType = 'application/json', headers = [] }: Answer, takesKey: boolean): object {
  const names: readonly string[] = takesKey ? [...headers, 'Idempotent-Replayed'] : headers;
  return {
    description: is,
    ...(names.length > 0 && {
      headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    }),
    ...(body !== undefined && { content: { [contentType]: { schema: body } } }),
  };
}
