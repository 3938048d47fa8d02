/** Routes that send or end deliveries: one, or all that match a filter. */
import type { FastifyReply } from 'fastify';
import { cancelDeliveries, cancelDelivery, retryDeliveries, retryDelivery } from '#lib/api-contract';
import { isFinal } from '#lib/contract';
import { createDeadLetterReplay } from '#lib/replay-store';
import { findDeadLetterOfDelivery } from '../dead-letters/index.ts';
import { deliveryOf, findDelivery } from '../deliveries/index.ts';
import { optionalBody } from '../http/patch-body.ts';
import { sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { type Route, type RouteDeps, serve } from '../route.ts';
import { bulkRoute } from './by-filter/bulk-route.ts';
import { replayLimitReached, startReplay } from './start-replay.ts';
import { type MadeDue, makeDue, requestCancel } from './waiting.ts';

const whyNotDue: Record<Exclude<MadeDue, 'due'>, string> = {
  'behind another': 'An earlier delivery with the same ordering key blocks it: retry or cancel that delivery',
  'to be cancelled': 'The delivery is being cancelled',
  absent: 'The delivery is in flight or about to be sent: retry later',
};

/** A delivery that waits is due now; of one that is dead-lettered the dead letter is replayed. */
const retry = serve(
  retryDelivery,
  (deps) => async (request, reply) => {
    const { tenant, idempotent } = request;
    const { effects } = idempotent;
    const delivery = await findDelivery(effects, tenant, request.params.id);
    if (delivery === undefined) return sendProblem(reply, 'not_found');
    const { id, status } = delivery;
    if (status === 'dead_lettered') return replayDeadLetter(deps, id, reply);
    if (isFinal(status)) return sendProblem(reply, 'conflict', `The delivery is ${status}`);
    const made = await effects.transaction(async (tx) => {
      const changed = await makeDue(tx, tenant, id);
      if (changed === 'due') await request.audit(tx, { id, after: { due: 'now' } });
      return changed;
    });
    if (made !== 'due') return sendProblem(reply, 'conflict', whyNotDue[made]);
    const retried = (await findDelivery(effects, tenant, id)) ?? delivery;
    return reply.code(202).send(deliveryOf(retried, headerViewerOf(request.caller)));
  },
  () => ({ preValidation: optionalBody }),
);

async function replayDeadLetter(deps: RouteDeps, id: string, reply: FastifyReply): Promise<FastifyReply> {
  const { tenant, idempotent } = reply.request;
  const deadLetter = await findDeadLetterOfDelivery(idempotent.effects, tenant, id);
  if (deadLetter === undefined)
    return sendProblem(reply, 'conflict', 'Its dead letter is not available yet: retry later');
  if (deadLetter.status !== 'dead')
    return sendProblem(reply, 'conflict', `The delivery is ${deadLetter.status} by ${deadLetter.replay_id}`);
  const reached = await replayLimitReached(deps, idempotent.effects, tenant, 'one');
  if (reached !== undefined) return refuseBeyondLimit(reply, reached, deps);
  return startReplay(deps, reply, {
    request: { delivery_id: id },
    of: id,
    async create(tx, begun) {
      const made = await createDeadLetterReplay(tx, { ...begun, filter: { ids: [deadLetter.id] }, limit: 1 });
      // Another request has claimed the dead letter since: do not leave an empty replay behind.
      if (made.matched === 0) throw claimedMeanwhile;
      return made;
    },
  }).catch((error: unknown) => {
    if (error !== claimedMeanwhile) throw error;
    return sendProblem(reply, 'conflict', 'The delivery is being replayed already');
  });
}

const claimedMeanwhile = new Error('the dead letter was claimed by another replay');

/** The dispatcher ends the delivery as soon as it waits. One that is being sent at that moment may still be delivered, and then is. */
const cancel = serve(
  cancelDelivery,
  () => async (request, reply) => {
    const { tenant, idempotent } = request;
    const { effects } = idempotent;
    const { id } = request.params;
    const before = await findDelivery(effects, tenant, id);
    if (before === undefined) return sendProblem(reply, 'not_found');
    if (!isFinal(before.status))
      await effects.transaction(async (tx) => {
        if (await requestCancel(tx, tenant, id)) await request.audit(tx, { id, before: { status: before.status } });
      });
    const delivery = (await findDelivery(effects, tenant, id)) ?? before;
    // It is cancelled already: asking again is no error.
    if (delivery.status === 'cancelled') return delivery;
    if (isFinal(delivery.status)) return sendProblem(reply, 'conflict', `The delivery is ${delivery.status}`);
    return reply.code(202).send(delivery);
  },
  () => ({ preValidation: optionalBody }),
);

const retryAll = bulkRoute(retryDeliveries, 'retry_deliveries');
const cancelAll = bulkRoute(cancelDeliveries, 'cancel_deliveries');

export const deliveryActions: readonly Route[] = [retry, cancel, retryAll, cancelAll];
