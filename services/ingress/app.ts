import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '#lib/clock';
import { maxPayloadBytes } from '#lib/contract';
import type { CrashPoints } from '#lib/crash-points';
import { answerClientError } from '#lib/http-server';
import type { RandomBytes } from '#lib/ids';
import type { RecordProducer } from '#lib/kafka';
import type { Logger } from '#lib/log';
import { createBodyReader } from './body-reader.ts';
import { deferContinue } from './expect-continue.ts';
import type { IngressMetrics } from './ingress-metrics.ts';
import { createReceiveWebhook } from './receive-webhook.ts';
import { refuse } from './refuse.ts';
import { receiveWebhookRoute } from './routes/receive-webhook.ts';
import type { SourceDirectory } from './source-directory.ts';

export interface IngressDeps {
  sources: Pick<SourceDirectory, 'known' | 'lookUp'>;
  producer: Pick<RecordProducer, 'send'>;
  /** Full name of the topic of received webhooks. */
  topic: string;
  clock: Clock;
  random: RandomBytes;
  crashPoints: CrashPoints;
  metrics: IngressMetrics;
  log: Logger;
  /** What a sender has for its whole body. */
  bodyTimeoutMs: number;
  /** The bound on all bodies that are being read at one time. */
  maxReadingBytes: number;
}

/** How much of a refused body is read so that its sender gets to read the answer: a few times what is allowed. */
const discardBytes = 4 * maxPayloadBytes;
/** Headers alone are a few hundred bytes: who takes longer means to take long. */
const headersTimeoutMs = 10_000;
/** Node looks for those who are late in this interval. */
const checkingIntervalMs = 5_000;

const webhookUrl = /^\/v1\/webhooks\/[^/?]+(?:\?|$)/;

export function buildApp(deps: IngressDeps): FastifyInstance {
  const discardLimits = { maxBytes: discardBytes, timeoutMs: deps.bodyTimeoutMs };
  const noRoute = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!webhookUrl.test(request.url)) return refuse(request, reply, 'not_found', discardLimits);
    reply.header('allow', 'POST');
    return refuse(request, reply, 'method_not_allowed', discardLimits);
  };

  const app = fastify({
    logger: false,
    // Behind ours for bodies, which can answer in order.
    requestTimeout: 2 * deps.bodyTimeoutMs + headersTimeoutMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: checkingIntervalMs },
    // An id of any length is an unknown source.
    routerOptions: { maxParamLength: 16_384 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => void refuse(request, reply, 'not_found', discardLimits),
  });
  // In the hook, as the route: a path that does not exist is a 404, whatever the content type.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) noRoute(request, reply);
    else done();
  });
  app.setErrorHandler((error, request, reply) => {
    deps.log.error({ event: 'request.failed', err: error });
    return refuse(request, reply, 'internal_error', discardLimits);
  });
  app.route(
    receiveWebhookRoute({
      ...deps,
      receive: createReceiveWebhook({
        ...deps,
        readBody: createBodyReader({
          maxBytes: maxPayloadBytes,
          maxTotalBytes: deps.maxReadingBytes,
          timeoutMs: deps.bodyTimeoutMs,
        }),
      }),
      discardLimits,
      sendContinue: deferContinue(app.server),
    }),
  );
  return app;
}
