import { createDeliveryReplay } from '#lib/replay-store';
import { optionalBody } from '../http/optional-body.ts';
import { sendInvalid, sendLimitReached, sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { eventTakers } from '../replays/event-takers.ts';
import { newReplay } from '../replays/new-replay.ts';
import { replayLimitReached } from '../replays/replay-limit.ts';
import { sendReplay } from '../replays/send-replay.ts';
import { endpoints } from '../resources/endpoint.ts';
import { findEvent } from '../resources/event.ts';
import { startedReplay } from '../resources/replay.ts';
import { isErased } from '../resources/event-row.ts';
import { type Route, route } from '../route.ts';

interface Body {
  endpoint_id?: string;
}

const body = {
  type: 'object',
  additionalProperties: false,
  properties: { endpoint_id: { type: 'string', maxLength: 100 } },
} as const;

const operation: Operation = {
  tag: 'Events',
  id: 'replayEvent',
  summary: 'Replay an event to all endpoints that match it now, or to one endpoint',
  answers: { 202: { is: 'The replay', body: 'Replay', headers: ['Location'] } },
  errors: ['conflict', 'limit_reached'],
};

/**
 * `POST /v1/events/{id}/replay`: sends the event again, whatever its status, to every endpoint that matches it today, or to the named one,
 * which need not be subscribed.
 */
export const replayEvent: Route = (deps) =>
  route<{ Params: { id: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/events/:id/replay',
    config: { operation, capability: 'replay', audit: 'event.replay' },
    schema: { body },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { tenant, idempotent } = request;
      const { effects } = idempotent;
      const { judgingTurns, unjudgedFilters } = deps;
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
        const takers = await eventTakers(effects, { tenant, type, source_id, ...content }, judgingTurns);
        unjudgedFilters.note({ tenant, eventId }, takers);
        endpointIds = takers.map(({ candidate }) => candidate.id);
      } else {
        const endpoint = await endpoints.find(effects, tenant, endpointId);
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
  });
