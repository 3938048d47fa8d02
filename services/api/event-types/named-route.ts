import type { FastifyRequest, preValidationHookHandler, RouteGenericInterface } from 'fastify';
import { nameInQuery } from '#lib/contract';
import { sendInvalid } from '../http/send-problem.ts';
import { schemaOf } from '../openapi/route-schema.ts';
import { route, type TypedRoute } from '../route.ts';

const name = { type: 'string', maxLength: 255 } as const;

/**
 * A route of `/v1/event-types/{name}`, which is also `/v1/event-types/-?name=`: behind a proxy that decodes or refuses `%2F`, no other form reaches
 * a name with a slash. Handlers read `params.name` either way.
 */
export function namedRoute<T extends RouteGenericInterface & { Params: { name: string } }>(options: TypedRoute<T>) {
  const { querystring } = schemaOf(route<T>(options));
  return route<T>({
    ...options,
    schema: {
      ...options.schema,
      querystring: {
        type: 'object',
        additionalProperties: false,
        ...querystring,
        properties: { ...querystring?.properties, name },
      },
    },
    preValidation: [takeName, ...[options.preValidation ?? []].flat()],
  });
}

const takeName: preValidationHookHandler = (request, reply, done) => {
  const { params, query } = request as FastifyRequest<{ Params: { name: string }; Querystring: { name?: unknown } }>;
  const isInQuery = params.name === nameInQuery;
  if (isInQuery === (typeof query.name === 'string')) {
    if (isInQuery) params.name = query.name as string;
    return done();
  }
  const message = isInQuery
    ? 'is missing: it is the name that `-` in the path stands for'
    : 'is for the path /v1/event-types/- alone';
  return void sendInvalid(reply, [{ field: 'name', message }]);
};
