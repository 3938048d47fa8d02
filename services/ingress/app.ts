import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { maxPayloadBytes } from '#lib/contract';
import {
  answerClientError,
  ignoreExpectHeader,
  type Networks,
  problemOfHead,
  trusting,
  validateHostOurselves,
} from '#lib/net';
import type { Clock, CrashPoints, Logger, RandomBytes } from '#lib/runtime';
import type { Trails } from '#lib/signatures';
import type { Tracer } from '#lib/telemetry';
import { allowedMethods } from './answering/answer-challenge.ts';
import { createAnswer, createRetryAfter } from './answering/answer.ts';
import { refuse } from './answering/refuse.ts';
import type { Admission } from './load-shedding/admission.ts';
import type { AnswerDelay } from './load-shedding/answer-delay.ts';
import { limitConnections } from './load-shedding/connection-limit.ts';
import type { RateGate } from './load-shedding/rate-gate.ts';
import type { IngressMetrics } from './metrics.ts';
import { createBodyReader } from './receiving/body-reader.ts';
import { deferContinue } from './receiving/expect-continue.ts';
import { createReceiveWebhook } from './receiving/receive-webhook.ts';
import type { RejectingSources } from './rejections/rejecting-sources.ts';
import type { RejectionLog } from './rejections/rejection-log.ts';
import { answerChallengeRoute } from './routes/answer-challenge.ts';
import { receiveWebhookRoute } from './routes/receive-webhook.ts';
import type { CredentialNames } from './sources/credential-names.ts';
import type { SourceDirectory } from './sources/source-directory.ts';
import type { Tls } from './tls.ts';

export interface IngressDeps {
  sources: Pick<SourceDirectory, 'known' | 'lookUp' | 'recent'>;
  credentialNames: Pick<CredentialNames, 'of' | 'recent'>;
  admission: Admission;
  answerDelay: Pick<AnswerDelay, 'wait'>;
  rateGate: RateGate;
  /** Full name of the topic of received webhooks. */
  topic: string;
  trails: Pick<Trails, 'read'>;
  clock: Clock;
  random: RandomBytes;
  crashPoints: CrashPoints;
  metrics: IngressMetrics;
  tracer: Tracer;
  rejections: Pick<RejectionLog, 'record'>;
  rejectingSources: Pick<RejectingSources, 'accepted' | 'rejected'>;
  log: Logger;
  /** A webhook is shed because there is no room. */
  reportBusy(reason: string): void;
  /** Connections beyond it are answered 503 and ended. */
  maxConnections: number;
  /** Time limit of a whole body. */
  bodyTimeoutMs: number;
  /** The bound on all bodies that are being read at one time. */
  maxReadingBytes: number;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: Networks;
  /** Plain HTTP if undefined. */
  tls?: Tls['options'];
}

/** How much of a refused body is read so that its sender gets to read the answer: a few times what is allowed. */
const discardBytes = 4 * maxPayloadBytes;
/** Headers alone are a few hundred bytes: who takes longer means to take long. */
const headersTimeoutMs = 10_000;
/** Node checks its time-outs at this interval. */
const checkingIntervalMs = 5_000;

const webhookUrl = /^\/v1\/webhooks\/([^/?]+)\/?(?:\?|$)/;

export function buildApp(deps: IngressDeps): FastifyInstance {
  const discardLimits = { maxBytes: discardBytes, timeoutMs: deps.bodyTimeoutMs };
  const noRoute = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const [, sourceId] = webhookUrl.exec(request.url) ?? [];
    if (sourceId === undefined) return refuse(request, reply, 'not_found', discardLimits);
    reply.header('allow', allowedMethods(deps.sources.known(sourceId)));
    return refuse(request, reply, 'method_not_allowed', discardLimits);
  };

  const refusedByHead = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const detail = problemOfHead(request.raw);
    if (detail === undefined) return false;
    refuse(request, reply.header('connection', 'close'), 'validation_failed', discardLimits, detail);
    return true;
  };

  const app = createFastify(deps.tls, {
    logger: false,
    trustProxy: trusting(deps.trustedProxies),
    // Longer than our own limit for bodies, which can still answer in order.
    requestTimeout: 2 * deps.bodyTimeoutMs + headersTimeoutMs,
    // An id of any length is an unknown source.
    // Providers and gateways that normalize URLs append a slash.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => {
      if (!refusedByHead(request, reply)) refuse(request, reply, 'not_found', discardLimits);
    },
  });
  ignoreExpectHeader(app.server);
  const connections = limitConnections(app.server, {
    maxConnections: deps.maxConnections,
    onDrop: () => deps.reportBusy('dropped'),
  });
  const retryAfterSeconds = createRetryAfter(deps.random);
  const turnAway = (request: FastifyRequest, reply: FastifyReply): void => {
    deps.reportBusy('connections');
    deps.metrics.answered(undefined, 'unavailable');
    reply.header('connection', 'close').header('retry-after', retryAfterSeconds());
    refuse(request, reply, 'unavailable', discardLimits);
  };
  // In the hook, like the route: an unknown path is a 404 whatever the content type.
  app.addHook('onRequest', (request, reply, done) => {
    if (connections.isBeyond(request.raw.socket)) turnAway(request, reply);
    else if (refusedByHead(request, reply)) return;
    else if (request.is404) noRoute(request, reply);
    else done();
  });
  app.setErrorHandler((error, request, reply) => {
    deps.log.error({ event: 'request.failed', err: error });
    return refuse(request, reply, 'internal_error', discardLimits);
  });
  const answer = createAnswer({ ...deps, discardLimits });
  app.route(
    receiveWebhookRoute({
      ...deps,
      answer,
      receive: createReceiveWebhook({
        ...deps,
        readBody: createBodyReader({
          maxBytes: maxPayloadBytes,
          maxTotalBytes: deps.maxReadingBytes,
          timeoutMs: deps.bodyTimeoutMs,
          clock: deps.clock,
        }),
      }),
      sendContinue: deferContinue(app.server),
    }),
  );
  app.route(answerChallengeRoute({ ...deps, answer }));
  return app;
}

function createFastify(tls: IngressDeps['tls'], options: FastifyServerOptions): FastifyInstance {
  const http = {
    ...validateHostOurselves,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: checkingIntervalMs,
  };
  if (tls === undefined) return fastify({ ...options, http });
  // A server of Node's `https` has all of one of `http`.
  return fastify({
    ...options,
    https: { ...http, ...tls, handshakeTimeout: headersTimeoutMs },
  } as FastifyServerOptions);
}
