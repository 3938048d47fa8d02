import type { FastifyReply } from 'fastify';
import { isFinal } from '#lib/contract';
import { createDeadLetterReplay } from '#lib/replay-store';
import { emptyBody, optionalBody } from '../http/optional-body.ts';
import { sendLimitReached, sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { type Operation, ref } from '../openapi/operation.ts';
import { newReplay } from '../replays/new-replay.ts';
import { replayLimitReached } from '../replays/replay-limit.ts';
import { sendReplay } from '../replays/send-replay.ts';
import { findDeadLetterOfDelivery } from '../resources/dead-letter.ts';
import { deliveryJson, findDelivery } from '../resources/delivery.ts';
import { startedReplay } from '../resources/replay.ts';
import { type MadeDue, makeDue } from '../resources/waiting.ts';
import { type Route, route, type RouteDeps } from '../route.ts';

const whyNotDue: Record<Exclude<MadeDue, 'due'>, string> = {
  'behind another': 'An earlier delivery with the same ordering key blocks it: retry or cancel that delivery',
  'to be cancelled': 'The delivery is being cancelled',
  absent: 'The delivery is in flight or about to be sent: retry later',
};

const operation: Operation = {
  tag: 'Deliveries',
  id: 'retryDelivery',
  summary: 'Retry a delivery now; if it is dead-lettered, replay its dead letter',
  answers: {
    202: { is: 'The delivery, or the replay', body: { anyOf: [ref('Delivery'), ref('Replay')] } },
  },
  errors: ['conflict', 'limit_reached'],
};

/** `POST /v1/deliveries/{id}/retry`: one that waits is due now; of one that is dead-lettered the dead letter is replayed. */
export const retryDelivery: Route = (deps) =>
  route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/deliveries/:id/retry',
    config: { operation, capability: 'replay', audit: 'delivery.retry' },
    schema: { body: emptyBody },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { tenant, idempotent } = request;
      const { effects } = idempotent;
      const delivery = await findDelivery(effects, tenant, request.params.id);
      if (delivery === undefined) return sendProblem(reply, 'not_found');
      const { id, status } = delivery;
      if (status === 'dead_lettered') return replayDeadLetter({ ...deps, postgres: effects }, id, reply);
      if (isFinal(status)) return sendProblem(reply, 'conflict', `The delivery is ${status}`);
      const made = await effects.transaction(async (tx) => {
        const changed = await makeDue(tx, tenant, id);
        if (changed === 'due') await request.audit(tx, { id, after: { due: 'now' } });
        return changed;
      });
      if (made !== 'due') return sendProblem(reply, 'conflict', whyNotDue[made]);
      const retried = (await findDelivery(effects, tenant, id)) ?? delivery;
      return reply.code(202).send(deliveryJson(retried, headerViewerOf(request.caller)));
    },
  });

async function replayDeadLetter(deps: RouteDeps, id: string, reply: FastifyReply): Promise<FastifyReply> {
  const { request } = reply;
  const { tenant } = request;
  const deadLetter = await findDeadLetterOfDelivery(deps.postgres, tenant, id);
  if (deadLetter === undefined)
    return sendProblem(reply, 'conflict', 'Its dead letter is not available yet: retry later');
  if (deadLetter.status !== 'dead')
    return sendProblem(reply, 'conflict', `The delivery is ${deadLetter.status} by ${deadLetter.replay_id}`);
  const reached = await replayLimitReached(deps, deps.postgres, tenant, 'one');
  if (reached !== undefined) return sendLimitReached(reply, tenant, reached, deps.limits);
  const begun = newReplay(deps, { tenant, request: { delivery_id: id } });
  const replay = await deps.postgres
    .transaction(async (tx) => {
      const made = await createDeadLetterReplay(tx, { ...begun, filter: { ids: [deadLetter.id] }, limit: 1 });
      // Another request has claimed the dead letter since: do not leave an empty replay behind.
      if (made.matched === 0) throw claimedMeanwhile;
      await request.audit(tx, { id, after: startedReplay(made) });
      return made;
    })
    .catch((error: unknown) => {
      if (error !== claimedMeanwhile) throw error;
    });
  if (replay === undefined) return sendProblem(reply, 'conflict', 'The delivery is being replayed already');
  return sendReplay(reply, replay);
}

const claimedMeanwhile = new Error('the dead letter was claimed by another replay');
