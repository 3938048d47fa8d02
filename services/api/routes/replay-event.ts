import { formatMicros } from '#lib/clock';
import { isSubscribed } from '#lib/contract';
import { createId } from '#lib/ids';
import { createDeliveryReplay } from '#lib/replay-store';
import { endpoints, openEndpoints } from '../resources/endpoint.ts';
import { findEvent } from '../resources/event.ts';
import { type Route, route } from '../route.ts';
import { sendInvalid, sendProblem } from '../send-problem.ts';
import { sendReplay } from '../send-replay.ts';

interface Body {
  endpoint_id?: string;
}

const body = {
  type: 'object',
  additionalProperties: false,
  properties: { endpoint_id: { type: 'string', maxLength: 100 } },
} as const;

/**
 * `POST /v1/events/{id}/replay`: to every endpoint that gets such events today, or to the one that is named, which need not be
 * subscribed. Whatever became of the event before, it is sent again.
 */
export const replayEvent: Route = ({ postgres, clock, random }) =>
  route<{ Params: { id: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/events/:id/replay',
    schema: { body },
    preValidation: (request, _reply, done) => {
      request.body ??= {};
      done();
    },
    async handler(request, reply) {
      const { tenant } = request;
      const { endpoint_id: endpointId } = request.body;
      const event = await findEvent(postgres, tenant, request.params.id);
      if (event === undefined) return sendProblem(reply, 'not_found');
      if (event.body === null) return sendProblem(reply, 'conflict', 'The payload is kept no longer');

      let endpointIds: string[];
      if (endpointId === undefined) {
        const open = await openEndpoints(postgres, tenant);
        const subscribed = open.filter(({ event_types: eventTypes, source_ids: sourceIds }) =>
          isSubscribed({ eventTypes, sourceIds }, event),
        );
        endpointIds = subscribed.map(({ id }) => id);
      } else {
        const endpoint = await endpoints.find(postgres, tenant, endpointId);
        if (endpoint === undefined || endpoint.deleted_at !== null)
          return sendInvalid(reply, [{ field: '/endpoint_id', message: 'is not the id of an endpoint' }]);
        if (endpoint.disabled_at !== null) return sendProblem(reply, 'conflict', 'The endpoint is disabled');
        endpointIds = [endpoint.id];
      }

      const nowMs = clock.nowMs();
      const replay = await postgres.transaction((tx) =>
        createDeliveryReplay(tx, {
          tenant,
          id: createId('rpl', nowMs, random),
          request: { event_id: event.id, ...request.body },
          ratePerSecond: null,
          createdAt: formatMicros(nowMs * 1_000),
          eventId: event.id,
          endpointIds,
        }),
      );
      return sendReplay(reply, replay);
    },
  });
