/** Routes that send events again: one, or all that match a filter. */
import { replayEvent, replayEvents } from '#lib/api-contract';
import { createDeliveryReplay } from '#lib/replay-store';
import { endpointTable } from '../endpoints/index.ts';
import { findEvent, isErased } from '../events/index.ts';
import { optionalBody } from '../http/patch-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { type Route, serve } from '../route.ts';
import { bulkRoute } from './by-filter/bulk-route.ts';
import { replayLimitReached, startReplay } from './start-replay.ts';
import { eventTakers } from './subscribers.ts';

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
    if (limit !== undefined) return refuseBeyondLimit(reply, limit, deps);
    let endpointIds: string[];
    if (endpointId === undefined) {
      const payload = { ...event, body: event.body, content_type: event.content_type ?? '' };
      const takers = await eventTakers(effects, tenant, payload, matchTurns);
      unjudgedFilters.note({ tenant, eventId: event.id }, takers);
      endpointIds = takers.map(({ candidate }) => candidate.id);
    } else {
      const endpoint = await endpointTable.find(effects, tenant, endpointId);
      if (endpoint === undefined || endpoint.deleted_at !== null)
        return sendInvalid(reply, [{ field: '/endpoint_id', message: 'is not the id of an endpoint' }]);
      if (endpoint.disabled_at !== null) return sendProblem(reply, 'conflict', 'The endpoint is disabled');
      endpointIds = [endpoint.id];
    }

    return startReplay(deps, reply, {
      request: { event_id: event.id, ...request.body },
      of: event.id,
      create: (tx, begun) => createDeliveryReplay(tx, { ...begun, eventId: event.id, endpointIds }),
    });
  },
  () => ({ preValidation: optionalBody }),
);

const all = bulkRoute(replayEvents, 'replay_events');

export const eventReplayRoutes: readonly Route[] = [one, all];
