import type { FastifyRequest, preValidationHookHandler } from 'fastify';
import type { Operation } from '#lib/api-contract';
import { nameInQuery } from '#lib/contract';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type HandlerOf, type Route, type RouteDeps, serve, type Serving } from '../route.ts';
import type { Named } from './type-transaction.ts';

/** The body has a version, with its schema and its example. */
export const servingVersion = (): Serving => ({
  bodyLimit: bodyLimits.eventType,
  documents: { members: ['schema', 'example'] },
  inGroups: true,
});

/** The type that a request changes. */
export const namedBy = ({ params, headers }: FastifyRequest<{ Params: { name: string } }>): Named => ({
  name: params.name,
  ifMatch: headers['if-match'],
});

/** One whose contract has the parameter `name` of its query, too. */
type NamedOperation = Operation & { path: `/v1/event-types/:name${string}`; query: { name: object } };

/**
 * The route of an operation on `/v1/event-types/{name}`, which is also `/v1/event-types/-?name=`: behind a proxy that decodes or refuses `%2F`, no
 * other form reaches a name with a slash. Handlers read `params.name` either way.
 */
export const serveNamed = <O extends NamedOperation>(
  operation: O,
  handlerOf: (deps: RouteDeps) => HandlerOf<O>,
  servingOf: (deps: RouteDeps) => Serving = () => ({}),
): Route =>
  serve(operation, handlerOf, (deps) => {
    const { preValidation = [], ...serving } = servingOf(deps);
    return { ...serving, preValidation: [takeName, ...[preValidation].flat()] };
  });

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
