import type { FastifyReply, RouteOptions } from 'fastify';
import { AppError, type Clock, toAppError } from '#lib/runtime';
import type { Tracer } from '#lib/telemetry';
import type { Answer } from '../answering/answer.ts';
import type { AnswerDelay } from '../load-shedding/answer-delay.ts';
import type { Outcome } from '../receiving/outcome.ts';
import { endRequestSpan, startRequestSpan } from '../receiving/trace-request.ts';
import type { WebhookRequest } from '../receiving/webhook-request.ts';

interface Options {
  method: RouteOptions['method'];
  /** @param traceparent that of the request, or of the span around it; empty if there is none */
  decide(request: WebhookRequest, reply: FastifyReply, traceparent: string): Promise<Outcome>;
  answer: Answer;
  answerDelay: Pick<AnswerDelay, 'wait'>;
  tracer: Tracer;
  clock: Clock;
}

const url = '/v1/webhooks/:source_id';

export function webhookRoute({ method, decide, answer, answerDelay, tracer, clock }: Options): RouteOptions {
  const onRequest = async (request: WebhookRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const beganAtMs = clock.monotonicMs();
    const span = startRequestSpan(tracer, request, url);
    const outcome = await decide(request, reply, span.traceparent).catch((thrown: unknown): Outcome => ({
      kind: 'refused',
      code: 'internal_error',
      error: toAppError(thrown),
    }));
    const durationMs = clock.monotonicMs() - beganAtMs;
    if (outcome.kind === 'accepted') await answerDelay.wait(outcome.source.tenant, durationMs);
    const answered = answer({ request, reply, outcome, durationMs, span });
    endRequestSpan(span, outcome, reply.statusCode);
    return answered;
  };
  return {
    method,
    url,
    // All is done in this hook, because Fastify vets the content type between it and the handler, and here any is good, or none.
    onRequest: onRequest as RouteOptions['onRequest'],
    handler: () => {
      throw new AppError('bug', 'answered in onRequest');
    },
  };
}
