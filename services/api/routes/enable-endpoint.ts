import { changeOf, sendResource } from '../http/etag.ts';
import { emptyBody, optionalBody } from '../http/optional-body.ts';
import { sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { enable, endpointJson, endpoints } from '../resources/endpoint.ts';
import { limitOfChange } from '../resources/endpoint-changes.ts';
import { type Route, route } from '../route.ts';

/** `POST /v1/endpoints/{id}/enable`: whatever disabled it. What has died meanwhile is brought back by `…/recover`. */
export const enableEndpoint: Route = (deps) =>
  route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/endpoints/:id/enable',
    schema: { body: emptyBody },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { tenant, idempotent } = request;
      const result = await endpoints.change(idempotent.effects, changeOf(request), async (row, tx) => {
        if (row.disabled_at === null) return { row };
        const named = { tenant, id: row.id };
        const limit = await limitOfChange(tx, named, deps.limits);
        return limit === undefined ? { row: await enable(tx, named) } : { limit };
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      const { row, limit } = result.changed;
      if (limit !== undefined) return refuseBeyondLimit(reply, limit, deps);
      return sendResource(reply, row, endpointJson(row));
    },
  });
