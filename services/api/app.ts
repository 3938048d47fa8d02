import { Readable } from 'node:stream';
import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type RouteOptions,
} from 'fastify';
import { parseExact } from '#lib/exact-json';
import { idempotency } from '#lib/idempotency';
import {
  answerClientError,
  createKnownPaths,
  ignoreExpectHeader,
  type Networks,
  problemOfHead,
  trusting,
  validateHostOurselves,
} from '#lib/net';
import { createId } from '#lib/runtime';
import type { EncryptionKey } from '#lib/secret-box';
import { observe, type Tracer, traceIdOf } from '#lib/telemetry';
import { auditRequests } from './audit/index.ts';
import { bodyLimits } from './http/body-limits.ts';
import type { CurrentRequest } from './http/current-request.ts';
import { contentEncoded, createErrorHandler, isEncoded } from './http/handle-error.ts';
import { readDocuments } from './http/read-documents.ts';
import { refuseDeepBody, refuseExcess } from './http/refuse-excess.ts';
import { refuseUnstorableText } from './http/refuse-unstorable-text.ts';
import { problemPayload, sendProblem } from './http/send-problem.ts';
import { serializeInTurns } from './http/serialize-in-turns.ts';
import { routeOf, traceRequests } from './http/trace-requests.ts';
import { type CallerDeps, createCallerCheck, refuseBeyondDryRun } from './keys/caller.ts';
import type { Caller } from './keys/identify-caller.ts';
import type { AnnounceLimits } from './limits/announce-limits.ts';
import { documentRoutes } from './openapi/document-routes.ts';
import type { RouteDeps } from './route.ts';
import { routes } from './routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as sent, if it is JSON. */
    bodyText: string;
    /** The event that it was about, for its log line; empty if there was no single event. */
    eventId: string;
  }
}

export interface AppDeps extends RouteDeps, CallerDeps {
  /** The first conceals what audit entries must not show. */
  encryptionKeys: readonly EncryptionKey[];
  /** Proxies whose X-Forwarded-For is trusted: the console is one, for what needs no key. */
  trustedProxies: Networks;
  /** Default: no statement is known to be for a request, so the database is not shared out, and each goes on to its end. */
  currentRequest?: Pick<CurrentRequest, 'follow'>;
  /** Default: nobody is told of limits that are reached. */
  announceLimits?: Pick<AnnounceLimits, 'note'>;
  tracer: Tracer;
  /** Default: the app's own compilers. Several apps of one process can share them, and each schema is compiled once. */
  schemaController?: NonNullable<FastifyServerOptions['schemaController']>;
}

/** Time limit of a client's whole request. */
const requestTimeoutMs = 30_000;

export function buildApp(deps: AppDeps): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: bodyLimits.usual,
    requestTimeout: requestTimeoutMs,
    // A request that arrives during the stop is served, and its connection closed.
    return503OnClosing: false,
    http: validateHostOurselves,
    clientErrorHandler: answerClientError,
    trustProxy: trusting(deps.trustedProxies),
    genReqId: () => createId('req', deps.clock.nowMs()),
    // An id of any length is an id that does not exist.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (_error, request, reply) => {
      setCommonHeaders(reply);
      if (!refusedByHead(request, reply)) sendProblem(reply, 'not_found');
    },
    ...(deps.schemaController !== undefined && { schemaController: deps.schemaController }),
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        useDefaults: false,
        allErrors: true,
        verbose: true,
      },
    },
  });
  traceRequests(app, deps.tracer);
  ignoreExpectHeader(app.server);
  const handleError = createErrorHandler(deps);
  app.setErrorHandler(handleError);
  acceptJsonAlone(app);
  app.decorateRequest('bodyText', '');
  app.decorateRequest('eventId', '');
  app.decorateRequest('tenant', '');
  app.decorateRequest('credential', '');
  // Set by the check of the caller, which only public routes do without.
  app.decorateRequest('caller', null as unknown as Caller);
  auditRequests(app, deps);
  app.decorateRequest('limitReached', undefined);
  const knownPaths = createKnownPaths<Allowed>();
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(reply);
    if (refusedByHead(request, reply)) return;
    // In this hook, not in a handler: an unknown path is a 404 without a key, and before its body is read.
    if (!request.is404) return done();
    const allowed = knownPaths.find(request.raw.url ?? '');
    if (allowed === undefined) sendProblem(reply, 'not_found');
    else refuseMethod(reply, allowed);
  });
  // Before the plugin, whose first statement already belongs to the tenant.
  deps.currentRequest?.follow(app);
  void app.register(idempotency, {
    ...deps.idempotency,
    scopeOf: ({ tenant, credential }) => ({ tenant, credential }),
    clock: deps.clock,
    log: deps.log,
    onOutcome: (outcome) => deps.metrics.idempotencyRequests.inc({ outcome }),
  });
  readDocuments(app, deps);
  app.addHook('preValidation', refuseBeyondDryRun);
  app.addHook('preValidation', refuseDeepBody);
  app.addHook('preValidation', refuseExcess);
  app.addHook('preValidation', refuseUnstorableText);
  answerIfStillAsked(app, deps);
  app.addHook('preSerialization', serializeInTurns);
  app.addHook('onResponse', (request, reply, done) => {
    report(deps, request, reply);
    if (request.limitReached !== undefined) deps.announceLimits?.note(request.tenant, request.limitReached);
    done();
  });

  const callerCheck = createCallerCheck(deps);
  const options = routes.map((route) => route(deps));
  const forAnyone = documentRoutes(options, deps);
  for (const route of options)
    app.route(route.config?.operation?.isPublic === true ? route : { ...route, onRequest: callerCheck });
  for (const route of forAnyone) app.route(route);
  for (const [url, allowed] of allowedMethods([...options, ...forAnyone])) {
    knownPaths.add(url, allowed);
    app.route(refusedMethods(app, url, allowed));
  }
  return app;
}

/** Headers that tell of what was read. */
const ofResults = ['etag', 'link', 'location', 'hookline-cursor'];

/** A read may have been held, or have taken long: its caller is vetted once more, when the answer is there. */
function answerIfStillAsked(app: FastifyInstance, { whyEnded }: AppDeps): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || request.caller === null || reply.statusCode >= 400) return payload;
    const ended = whyEnded(request);
    if (ended === undefined) return payload;
    if (payload instanceof Readable) payload.destroy();
    for (const name of ofResults) void reply.removeHeader(name);
    return problemPayload(reply, ended);
  });
}

function refusedByHead(request: FastifyRequest, reply: FastifyReply): boolean {
  const problem = problemOfHead(request.raw);
  if (problem === undefined) return false;
  sendProblem(reply.header('connection', 'close'), 'validation_failed', problem);
  return true;
}

/** Answers are for one tenant at one moment, so nothing may cache them. */
function setCommonHeaders(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'private, no-store').header('x-content-type-options', 'nosniff');
}

/** An empty body counts as none: many clients send a content type with every request, even a DELETE. */
function acceptJsonAlone(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  const types = ['application/json', 'application/merge-patch+json'];
  app.addContentTypeParser<Buffer>(types, { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined);
    if (request.routeOptions.config.documents !== undefined) return done(null, bytes);
    const body = bytes.toString();
    request.bodyText = body;
    void parseJson(request, body, (error, parsed) =>
      done(
        error !== null && isEncoded(request.headers['content-encoding']) ? contentEncoded : error,
        error === null ? withExactMembers(parsed, body) : parsed,
      ),
    );
  });
}

/** Members that hold values of users: their numbers are what they are, and all others are settings of ours, which a double holds. */
const exactMembers = ['filter'];

function withExactMembers(parsed: unknown, body: string): unknown {
  if (typeof parsed !== 'object' || parsed === null) return parsed;
  const names = exactMembers.filter((name) => Object.hasOwn(parsed, name));
  if (names.length === 0) return parsed;
  const exact = parseExact(body, 'all') as Readonly<Record<string, unknown>>;
  return { ...parsed, ...Object.fromEntries(names.map((name) => [name, exact[name]])) };
}

/** The methods of a path, sorted. */
type Allowed = readonly string[];

function allowedMethods(options: readonly RouteOptions[]): [url: string, allowed: Allowed][] {
  return [...Map.groupBy(options, ({ url }) => url)].map(([url, routesOfUrl]) => {
    const allowed = new Set(routesOfUrl.flatMap(({ method }) => method));
    if (allowed.has('GET')) allowed.add('HEAD');
    return [url, [...allowed].sort()];
  });
}

/**
 * Answers 405 without a key, for methods that other paths have: `DELETE /v1/events/search` must not reach `/v1/events/:id`. Methods that no
 * path has come to the hook of unknown paths.
 */
const refusedMethods = (app: FastifyInstance, url: string, allowed: Allowed): RouteOptions => ({
  url,
  method: app.supportedMethods.filter((method) => !allowed.includes(method)),
  onRequest: (_request, reply) => refuseMethod(reply, allowed),
  handler: (_request, reply) => reply,
});

function refuseMethod(reply: FastifyReply, allowed: Allowed): void {
  sendProblem(reply.header('allow', allowed.join(', ')), 'method_not_allowed');
}

function report({ metrics, log }: AppDeps, request: FastifyRequest, reply: FastifyReply): void {
  const { id: requestId, method, tenant, credential, span, eventId } = request;
  const route = routeOf(request) ?? 'unknown';
  const { statusCode: status, elapsedTime: durationMs } = reply;
  observe(metrics.requestSeconds, durationMs / 1000, { labels: { route, method, status }, exemplar: span.exemplar });
  if (!log.isOn('info')) return;
  log.info({
    event: 'request.answered',
    method,
    route,
    status,
    tenant,
    credential,
    ...actorFacts(request.caller),
    requestId,
    durationMs,
    traceId: traceIdOf(span.traceparent),
    ...(eventId !== '' && { eventId }),
  });
}

/** Facts that the credential does not tell: the session, or which key of the operator. */
const actorFacts = (caller: Caller | null): Record<string, string> => ({
  ...(caller?.session !== undefined && { session: caller.session.id }),
  ...(caller?.operatorKey !== undefined && { operatorKey: caller.operatorKey.setting }),
});
