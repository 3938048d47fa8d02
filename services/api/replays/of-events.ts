/** Routes that send events again: one, or all that match a filter. */
import { replayEvent, replayEvents } from '#lib/api-contract';
import { createDeliveryReplay } from '#lib/replay-store';
import { endpointTable } from '../endpoints/index.ts';
import { findEvent, isErased } from '../events/index.ts';
import { optionalBody } from '../http/patch-body.ts';
import { sendInvalid, sendLimitReached, sendProblem } from '../http/send-problem.ts';
import { type Route, serve } from '../route.ts';
import { bulkRoute } from './by-filter/bulk-route.ts';
import { eventTakers } from './event-takers.ts';
import { newReplay } from './new-replay.ts';
import { startedReplay } from './queries.ts';
import { replayLimitReached } from './replay-limit.ts';
import { sendReplay } from './send-replay.ts';

/** Whatever the status of the event: to every endpoint that matches it today, or to the named one, which need not be subscribed. */
const one = serve(
  replayEvent,
  (deps) => async (request, reply) => {
    const { tenant, idempotent } = request;
    const { effects } = idempotent;
    const { matchTurns, unjudgedFilters } = deps;
    const { endpoint_id: endpointId } = request.body;
    const event = await findEvent(effects, tenant, request.params.id);
    if (event === undefined) return sendProblem(reply, 'not_found');
    if (isErased(event)) return sendProblem(reply, 'conflict', 'The event was erased');
    if (event.body === null)
      return sendProblem(reply, 'conflict', 'The payload has been removed: its retention time is over');

    const limit = await replayLimitReached(deps, effects, tenant, endpointId === undefined ? 'several' : 'one');
    if (limit !== undefined) return sendLimitReached(reply, tenant, limit, deps.limits);
    let endpointIds: string[];
    if (endpointId === undefined) {
      const { id: eventId, type, source_id, body, content_encoding } = event;
      const content = { body, content_type: event.content_type ?? '', content_encoding };
      const takers = await eventTakers(effects, { tenant, type, source_id, ...content }, matchTurns);
      unjudgedFilters.note({ tenant, eventId }, takers);
      endpointIds = takers.map(({ candidate }) => candidate.id);
    } else {
      const endpoint = await endpointTable.find(effects, tenant, endpointId);
      if (endpoint === undefined || endpoint.deleted_at !== null)
        return sendInvalid(reply, [{ field: '/endpoint_id', message: 'is not the id of an endpoint' }]);
      if (endpoint.disabled_at !== null) return sendProblem(reply, 'conflict', 'The endpoint is disabled');
      endpointIds = [endpoint.id];
    }

    const begun = newReplay(deps, { tenant, request: { event_id: event.id, ...request.body } });
    const replay = await effects.transaction(async (tx) => {
      const started = await createDeliveryReplay(tx, { ...begun, eventId: event.id, endpointIds });
      await request.audit(tx, { id: event.id, after: startedReplay(started) });
      return started;
    });
    return sendReplay(reply, replay);
  },
  () => ({ preValidation: optionalBody }),
);

const all = bulkRoute({ operation: replayEvents, does: 'replay_events' });

export const eventReplayRoutes: readonly Route[] = [one, all];
