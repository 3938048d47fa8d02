import type { FastifyReply } from 'fastify';
import { problemCodes } from '#lib/problem';
import { type Clock, createId, type Logger, type RandomBytes } from '#lib/runtime';
import { type Span, traceIdOf } from '#lib/telemetry';
import type { IngressMetrics } from '../metrics.ts';
import type { DiscardLimits } from '../receiving/body-reader.ts';
import type { Outcome, Refused } from '../receiving/outcome.ts';
import { senderOf, type WebhookRequest } from '../receiving/webhook-request.ts';
import type { RejectingSources } from '../rejections/rejecting-sources.ts';
import type { RejectionLog } from '../rejections/rejection-log.ts';
import { allowedMethods } from './answer-challenge.ts';
import { refuse } from './refuse.ts';

export interface AnswerDeps {
  rejections: Pick<RejectionLog, 'record'>;
  rejectingSources: Pick<RejectingSources, 'accepted' | 'rejected'>;
  metrics: IngressMetrics;
  clock: Clock;
  random: RandomBytes;
  log: Logger;
  discardLimits: DiscardLimits;
}

interface Answered {
  request: WebhookRequest;
  reply: FastifyReply;
  outcome: Outcome;
  durationMs: number;
  /** Covers the whole request. */
  span: Span;
}

export type Answer = (answered: Answered) => FastifyReply;

/** The facts of every line about a request. */
type Facts = Record<'sourceId' | 'tenant' | 'durationMs' | 'traceId', unknown>;

/** Length of an unknown id in the log: it may be as long as the longest header line that Node takes. */
const maxLoggedIdLength = 64;

/** Refusals that the owner of a source can see and mend. A deleted source has no owner any more, and `unavailable` is ours. */
const recordedStatuses: readonly number[] = [400, 401, 403, 408, 413, 429];

/** Turns an outcome into the answer, a metric, a line of the log and, of some, a rejection that the source's owner can see. */
export function createAnswer(deps: AnswerDeps): Answer {
  const { rejections, rejectingSources, metrics, clock, random, log, discardLimits } = deps;
  const retryAfterSeconds = createRetryAfter(random);
  const record = (request: WebhookRequest, { source, code, read }: Refused): void => {
    if (source?.state !== 'active' || !recordedStatuses.includes(problemCodes[code].status)) return;
    const atMs = clock.nowMs();
    rejectingSources.rejected(source);
    rejections.record({
      tenant: source.tenant,
      sourceId: source.id,
      id: createId('rej', atMs, random),
      atMs,
      code,
      clientAddress: senderOf(request).address,
      rawHeaders: request.raw.rawHeaders,
      signatureHeader: source.schemeSettings.signatureHeader,
      bodyBytes: read?.bytes ?? announcedBytes(request),
      bodyBeginning: source.keepsRejectedBodies && read !== undefined ? Buffer.from(read.beginning) : undefined,
    });
  };

  return ({ request, reply, outcome, durationMs, span }) => {
    const { source, kind } = outcome;
    const code = kind === 'refused' ? outcome.code : kind;
    metrics.answered(source?.id, code);
    const facts = (): Facts => ({
      sourceId: request.params.source_id.slice(0, maxLoggedIdLength),
      tenant: source?.tenant,
      durationMs,
      traceId: traceIdOf(outcome.kind === 'accepted' ? outcome.traceparent : span.traceparent),
    });

    switch (outcome.kind) {
      case 'accepted': {
        const { receiptId } = outcome;
        metrics.acknowledged(durationMs / 1000, span.exemplar);
        rejectingSources.accepted(outcome.source.id);
        if (log.isOn('debug')) log.debug({ event: 'webhook.accepted', ...facts(), receiptId });
        reply.code(outcome.source.responseStatus);
        if (outcome.source.responseStatus === 204) return reply.send();
        return reply.header('content-type', 'application/json').send(`{"id":"${receiptId}"}`);
      }
      case 'challenge':
        if (log.isOn('info')) log.info({ event: 'challenge.answered', ...facts() });
        // The body is the sender's own text: no browser may take it for a page.
        reply.header('content-type', 'text/plain; charset=utf-8').header('x-content-type-options', 'nosniff');
        return reply.code(200).send(outcome.challenge);
      case 'client_gone':
        if (log.isOn('info')) log.info({ event: 'webhook.rejected', ...facts(), code });
        return reply.hijack();
      case 'refused':
        logRefusal(log, outcome, facts);
        record(request, outcome);
        if (outcome.retryAfterSeconds !== undefined) reply.header('retry-after', outcome.retryAfterSeconds);
        else if (outcome.code === 'unavailable') reply.header('retry-after', retryAfterSeconds());
        if (outcome.code === 'method_not_allowed') reply.header('allow', allowedMethods(source));
        if (problemCodes[outcome.code].status === 401 && source?.state === 'active')
          reply.header('www-authenticate', source.signatureChallenge);
        return refuse(request, reply, outcome.code, discardLimits, outcome.detail);
    }
  };
}

function logRefusal(log: Logger, { code, error, turnedAway }: Refused, facts: () => Facts): void {
  const isOurs = code === 'internal_error' && !turnedAway;
  if (!isOurs && !log.isOn(turnedAway ? 'debug' : 'info')) return;
  const line = { event: 'webhook.rejected', ...facts(), code };
  if (turnedAway) log.debug(line);
  else if (isOurs) log.error({ ...line, err: error });
  else log.info({ ...line, status: problemCodes[code].status, cause: error?.message });
}

function announcedBytes({ raw }: WebhookRequest): number | undefined {
  const length = Number(raw.headers['content-length']);
  return Number.isSafeInteger(length) ? length : undefined;
}

/** Long enough for a leader to move, and not the same for all, who would come again all at once. */
export const createRetryAfter =
  (random: RandomBytes): (() => number) =>
  () =>
    2 + ((random(1)[0] ?? 0) % 4);
