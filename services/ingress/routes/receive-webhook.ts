import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Clock } from '#lib/clock';
import { AppError, toAppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import { problemCodes } from '#lib/problem';
import type { DiscardLimits } from '../body-reader.ts';
import type { SendContinue } from '../expect-continue.ts';
import type { IngressMetrics } from '../ingress-metrics.ts';
import type { Outcome, ReceiveWebhook } from '../receive-webhook.ts';
import { refuse } from '../refuse.ts';

interface Deps {
  receive: ReceiveWebhook;
  metrics: IngressMetrics;
  clock: Clock;
  log: Logger;
  discardLimits: DiscardLimits;
  sendContinue: SendContinue;
}

type WebhookRequest = FastifyRequest<{ Params: { source_id: string } }>;

/** Of an id that may be anything up to the longest header line that Node takes. */
const maxLoggedIdLength = 64;

/** `POST /v1/webhooks/{source_id}` */
export function receiveWebhookRoute({ receive, metrics, clock, log, discardLimits, sendContinue }: Deps): RouteOptions {
  const onRequest = async (request: WebhookRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const beganAtMs = clock.monotonicMs();
    const sourceId = request.params.source_id;
    const outcome = await receive({
      sourceId,
      request: request.raw,
      wantBody: () => sendContinue(request.raw, reply.raw),
    }).catch((thrown: unknown): Outcome => ({ kind: 'refused', code: 'internal_error', error: toAppError(thrown) }));
    const durationMs = clock.monotonicMs() - beganAtMs;

    if (outcome.kind === 'accepted') {
      const { source, receiptId } = outcome;
      metrics.answered(source.id, 'accepted');
      metrics.acknowledged(durationMs / 1000);
      log.debug({ event: 'webhook.accepted', sourceId, tenant: source.tenant, receiptId, durationMs });
      reply.code(source.responseStatus);
      if (source.responseStatus === 204) return reply.send();
      return reply.header('content-type', 'application/json').send(`{"id":"${receiptId}"}`);
    }

    const code = outcome.kind === 'refused' ? outcome.code : outcome.kind;
    metrics.answered(outcome.source?.id, code);
    const facts = {
      event: 'webhook.rejected',
      sourceId: sourceId.slice(0, maxLoggedIdLength),
      tenant: outcome.source?.tenant,
      code,
      durationMs,
    };
    if (outcome.kind === 'client_gone') {
      log.info(facts);
      return reply.hijack();
    }
    const { error } = outcome;
    if (outcome.code === 'internal_error') log.error({ ...facts, err: error });
    else log.info({ ...facts, status: problemCodes[outcome.code].status, cause: error?.message });
    return refuse(request, reply, outcome.code, discardLimits);
  };

  return {
    method: 'POST',
    url: '/v1/webhooks/:source_id',
    // All is done in this hook, because Fastify judges the content type between it and the handler, and here any is good, or none.
    onRequest: onRequest as RouteOptions['onRequest'],
    handler: () => {
      throw new AppError('bug', 'answered in onRequest');
    },
  };
}
