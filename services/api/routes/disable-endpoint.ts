import { changeOf, sendResource } from '../http/etag.ts';
import { emptyBody, optionalBody } from '../http/optional-body.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { disable, endpointJson, endpoints, shownEndpoint } from '../resources/endpoint.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Endpoints',
  id: 'disableEndpoint',
  summary: 'Disable an endpoint; its open deliveries are dead-lettered',
  answers: { 200: { is: 'The endpoint after the change', body: 'Endpoint', headers: ['ETag'] } },
  conditional: true,
};

/** `POST /v1/endpoints/{id}/disable`: its open deliveries are dead-lettered. Disabling it again changes nothing. */
export const disableEndpoint: Route = () =>
  route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/endpoints/:id/disable',
    config: { operation, capability: 'endpoints', audit: 'endpoint.disable' },
    schema: { body: emptyBody },
    preValidation: optionalBody,
    async handler(request, reply) {
      const result = await endpoints.change(request.idempotent.effects, changeOf(request), async (row, tx) => {
        if (row.disabled_at !== null) return row;
        const disabled = await disable(tx, { tenant: request.tenant, id: row.id });
        await request.audit(tx, { id: row.id, before: endpointJson(row), after: endpointJson(disabled) });
        return disabled;
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      return sendResource(reply, result.changed, shownEndpoint(result.changed, request.caller));
    },
  });
