import { changeOf, sendResource } from '../http/etag.ts';
import { emptyBody, optionalBody } from '../http/optional-body.ts';
import { sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Operation } from '../openapi/operation.ts';
import { enable, endpointJson, endpoints, shownEndpoint } from '../resources/endpoint.ts';
import { limitOfChange } from '../resources/endpoint-changes.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Endpoints',
  id: 'enableEndpoint',
  summary: 'Enable an endpoint that is disabled for any reason',
  answers: { 200: { is: 'The endpoint after the change', body: 'Endpoint', headers: ['ETag'] } },
  errors: ['limit_reached'],
  conditional: true,
};

/** `POST /v1/endpoints/{id}/enable`: for any reason of its disabling. `…/recover` replays its dead letters. */
export const enableEndpoint: Route = (deps) =>
  route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/endpoints/:id/enable',
    config: { operation, capability: 'endpoints', audit: 'endpoint.enable' },
    schema: { body: emptyBody },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { tenant, idempotent } = request;
      const result = await endpoints.change(idempotent.effects, changeOf(request), async (row, tx) => {
        if (row.disabled_at === null) return { row };
        const named = { tenant, id: row.id };
        const limit = await limitOfChange(tx, named, deps.limits);
        if (limit !== undefined) return { limit };
        const enabled = await enable(tx, named);
        await request.audit(tx, { id: row.id, before: endpointJson(row), after: endpointJson(enabled) });
        return { row: enabled };
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      const { row, limit } = result.changed;
      if (limit !== undefined) return refuseBeyondLimit(reply, limit, deps);
      return sendResource(reply, row, shownEndpoint(row, request.caller));
    },
  });
