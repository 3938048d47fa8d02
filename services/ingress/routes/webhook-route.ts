import type { FastifyReply, RouteOptions } from 'fastify';
import type { Clock } from '#lib/clock';
import { AppError, toAppError } from '#lib/errors';
import type { Answer } from '../answer.ts';
import type { Outcome } from '../outcome.ts';
import type { WebhookRequest } from '../webhook-request.ts';

interface Options {
  method: RouteOptions['method'];
  decide(request: WebhookRequest, reply: FastifyReply): Promise<Outcome>;
  answer: Answer;
  clock: Clock;
}

export function webhookRoute({ method, decide, answer, clock }: Options): RouteOptions {
  const onRequest = async (request: WebhookRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const beganAtMs = clock.monotonicMs();
    const outcome = await decide(request, reply).catch((thrown: unknown): Outcome => ({
      kind: 'refused',
      code: 'internal_error',
      error: toAppError(thrown),
    }));
    return answer({ request, reply, outcome, durationMs: clock.monotonicMs() - beganAtMs });
  };
  return {
    method,
    url: '/v1/webhooks/:source_id',
    // All is done in this hook, because Fastify judges the content type between it and the handler, and here any is good, or none.
    onRequest: onRequest as RouteOptions['onRequest'],
    handler: () => {
      throw new AppError('bug', 'answered in onRequest');
    },
  };
}
