import { changeOf, sendResource } from '../http/etag.ts';
import { emptyBody, optionalBody } from '../http/optional-body.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { endpointJson, endpoints, shownEndpoint } from '../resources/endpoint.ts';
import { resume } from '../resources/endpoint-pause.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Endpoints',
  id: 'resumeEndpoint',
  summary: 'End the pause of an endpoint: its deliveries are sent, oldest first, at its own rate',
  answers: { 200: { is: 'The endpoint after the change', body: 'Endpoint', headers: ['ETag'] } },
  conditional: true,
};

/** `POST /v1/endpoints/{id}/resume`: of an endpoint that is not paused, nothing changes. */
export const resumeEndpoint: Route = () =>
  route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/endpoints/:id/resume',
    config: { operation, capability: 'endpoints', audit: 'endpoint.resume' },
    schema: { body: emptyBody },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { tenant, idempotent } = request;
      const result = await endpoints.change(idempotent.effects, changeOf(request), async (row, tx) => {
        const resumed = await resume(tx, { tenant, id: row.id }, row.pauses);
        if (resumed === undefined) return row;
        await request.audit(tx, { id: row.id, before: endpointJson(row), after: endpointJson(resumed) });
        return resumed;
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      return sendResource(reply, result.changed, shownEndpoint(result.changed, request.caller));
    },
  });
