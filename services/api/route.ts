import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest, RawServerDefault, RouteGenericInterface, RouteOptions } from 'fastify';
import type { Access, AnswerOf, BodyOf, Operation, Parameter, ParamsOf, QueryOf, Schema } from '#lib/api-contract';
import type { FollowedErasures } from '#lib/erasure';
import type { MatchTurns, UnjudgedFilters } from '#lib/event-filter';
import type { Verdict } from '#lib/http-client';
import type { Rate, RateLimiter, RatesLeft } from '#lib/rate-limit';
import type { Clock, Logger, RandomBytes } from '#lib/runtime';
import type { DocumentJobs, SchemaChecks } from '#lib/schema-checks';
import type { SecretBox } from '#lib/secret-box';
import type { TenantLimits, TenantUsage } from '#lib/tenancy';
import type { Polling } from './events/index.ts';
import type { ObjectSchema } from './http/route-schema.ts';
import type { IdempotencyDeps } from './idempotency/open-idempotency.ts';
import type { OperatorKeys } from './keys/operator-keys.ts';
import type { WhyEnded } from './keys/why-ended.ts';
import type { TenantConnections } from './limits/tenant-connections.ts';
import type { WaitingRequests } from './limits/waiting-requests.ts';
import type { ApiMetrics } from './metrics.ts';
import type { Outbox } from './outbox/publish-outbox.ts';
import type { AsOfTokens, ReplayWatch } from './replays/index.ts';
import type { Store } from './resources/resource-table.ts';
import type { EventSearch } from './searching/event-search.ts';

declare module 'fastify' {
  interface FastifyContextConfig extends Access {
    /** The API does not start without it. */
    operation?: Operation;
  }
}

/** Dependencies of handlers. */
export interface RouteDeps {
  postgres: Store;
  /** Sends published events to their topic. */
  outbox: Pick<Outbox, 'hold' | 'wake'>;
  idempotency: IdempotencyDeps;
  waiting: WaitingRequests;
  connections: Pick<TenantConnections, 'held'>;
  secretBox: SecretBox;
  clock: Clock;
  random: RandomBytes;
  /** Whether deliveries may go to this URL, by the URL alone. */
  vetUrl(url: string): Verdict;
  /** The same for a URL that a portal session chose: without what the operator allows. */
  vetPortalUrl(url: string): Verdict;
  portal: PortalDeps;
  /** Whether they may go through a proxy there; its own URL is without credentials. */
  vetProxy(url: string): Verdict;
  /** A delivery that is retried must find its payload. */
  payloadRetentionDays: number;
  /** Lower limit of the waits that a retry may be given. */
  minRetrySeconds: number;
  /** An endpoint is disabled when it has failed for so long. */
  failingSeconds: number;
  /** Limits per tenant. */
  limits: TenantLimits;
  /** The same by the settings alone. */
  limitSettings: TenantLimits;
  usage: TenantUsage;
  /** Filters are matched in these. */
  matchTurns: MatchTurns;
  unjudgedFilters: Pick<UnjudgedFilters, 'note'>;
  operatorKeys: OperatorKeys;
  limiter: RateLimiter;
  ratesLeft: RatesLeft;
  /** The rate of keys without one of their own. */
  keyRate: Rate;
  search: EventSearch;
  /** Checks payloads against schemas of event types. */
  schemaChecks: SchemaChecks;
  /** Reads documents and schemas of tenants. */
  documents: DocumentJobs;
  polling: Polling;
  /** For requests that are held: whether their caller still counts. */
  whyEnded: WhyEnded;
  asOf: AsOfTokens;
  erased: Pick<FollowedErasures, 'hasTenant' | 'refresh' | 'recent'>;
  /** There is a replay by filter whose items are to be chosen. */
  chooseItems(): void;
  replayWatch: ReplayWatch;
  /** Aborts when the process stops: held requests are answered. */
  closing: AbortSignal;
  /** Base of links to this API; empty: taken from the Host header of the request. */
  apiUrl: string;
  /** Base of sources' ingest_url. */
  ingressUrl: string;
  metrics: ApiMetrics;
  log: Logger;
}

export interface PortalDeps {
  /** Base of links to the portal; empty: links have a code alone. */
  url: string;
  /** Origins to which a portal may lead back. */
  returnOrigins: readonly string[];
}

export type Route = (deps: RouteDeps) => RouteOptions;

type TypedRoute<T extends RouteGenericInterface> = RouteOptions<RawServerDefault, IncomingMessage, ServerResponse, T>;

/** The types of body, query and parameters, which the schema has checked, are the handler's own business. */
const route = <T extends RouteGenericInterface>(options: TypedRoute<T>): RouteOptions => options as RouteOptions;

type RequestOf<O extends Operation> = FastifyRequest<{
  Params: ParamsOf<O>;
  Querystring: QueryOf<O>;
  Body: BodyOf<O>;
}>;

/** One that gives no promise sends its answer itself. */
export type HandlerOf<O extends Operation> = (
  request: RequestOf<O>,
  reply: FastifyReply,
) => Promise<AnswerOf<O> | FastifyReply> | void;

/** Properties of a route that the contract does not have. */
export type Serving = Pick<NonNullable<RouteOptions['config']>, 'keptAsBytes' | 'documents' | 'inGroups'> &
  Pick<RouteOptions, 'bodyLimit' | 'preValidation'> & {
    /** In the place of the operation's, where the settings of the process bound it. */
    body?: Schema;
  };

/** The route of an operation: requests are validated by its schemas, and the types of both sides of the handler are the operation's. */
export const serve =
  <O extends Operation>(
    operation: O,
    handlerOf: (deps: RouteDeps) => HandlerOf<O>,
    servingOf: (deps: RouteDeps) => Serving = () => ({}),
  ): Route =>
  (deps) => {
    const { method, path: url, query, body: usualBody, access } = operation;
    const { bodyLimit, preValidation, body = usualBody, ...config } = servingOf(deps);
    const parameters = Object.entries<Parameter>(query ?? {});
    const required = parameters.flatMap(([name, parameter]) => (parameter.required === true ? [name] : []));
    const querystring: ObjectSchema = {
      type: 'object',
      additionalProperties: false,
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(parameters.map(([name, { schema }]) => [name, schema])),
    };
    return route({
      method,
      url,
      ...(bodyLimit !== undefined && { bodyLimit }),
      ...(preValidation !== undefined && { preValidation }),
      config: { ...access, ...config, operation },
      schema: { ...(query !== undefined && { querystring }), ...(body !== undefined && { body }) },
      // The one place where the types of an operation, which its schemas hold to, meet those of the framework.
      handler: handlerOf(deps) as unknown as RouteOptions['handler'],
    });
  };
