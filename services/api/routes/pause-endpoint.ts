import { dateTime } from '#lib/api-contract';
import { changeOf, sendResource } from '../http/etag.ts';
import { readInstant } from '../http/filters.ts';
import { optionalBody } from '../http/optional-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { endpointJson, endpoints, shownEndpoint } from '../resources/endpoint.ts';
import { pause } from '../resources/endpoint-pause.ts';
import { type Route, route } from '../route.ts';

interface Body {
  until?: string;
}

const body = {
  type: 'object',
  additionalProperties: false,
  properties: { until: { ...dateTime, description: 'an RFC 3339 date-time' } },
} as const;

const operation: Operation = {
  tag: 'Endpoints',
  id: 'pauseEndpoint',
  summary: 'Pause an endpoint: its deliveries wait, and their deadlines move by the time of the pause',
  description:
    'Nothing is sent to a paused endpoint, test events included. Without `until` the pause ends after 72 hours; it lasts 14 days at most. Pausing again moves its end. Deadlines move no further than payloads are kept.',
  answers: { 200: { is: 'The endpoint after the change', body: 'Endpoint', headers: ['ETag'] } },
  errors: ['conflict'],
  conditional: true,
};

/** `POST /v1/endpoints/{id}/pause` */
export const pauseEndpoint: Route = () =>
  route<{ Params: { id: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/endpoints/:id/pause',
    config: { operation, capability: 'endpoints', audit: 'endpoint.pause' },
    schema: { body },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { tenant, idempotent } = request;
      const until = request.body.until === undefined ? undefined : readInstant(request.body.until);
      if (until !== undefined && 'message' in until)
        return sendInvalid(reply, [{ field: '/until', message: until.message }]);
      const result = await endpoints.change(idempotent.effects, changeOf(request), async (row, tx) => {
        if (row.disabled_at !== null) return undefined;
        const paused = await pause(tx, { tenant, id: row.id }, row.pauses, until?.value);
        if (!('message' in paused))
          await request.audit(tx, { id: row.id, before: endpointJson(row), after: endpointJson(paused) });
        return paused;
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      const { changed } = result;
      if (changed === undefined) return sendProblem(reply, 'conflict', 'The endpoint is disabled: enable it first');
      if ('message' in changed) return sendInvalid(reply, [{ field: '/until', message: changed.message }]);
      return sendResource(reply, changed, shownEndpoint(changed, request.caller));
    },
  });
