import { changeOf, sendResource } from '../etag.ts';
import { emptyBody, optionalBody } from '../optional-body.ts';
import { enable, endpointJson, endpoints } from '../resources/endpoint.ts';
import { type Route, route } from '../route.ts';
import { sendProblem } from '../send-problem.ts';

/** `POST /v1/endpoints/{id}/enable`: whatever disabled it. What has died meanwhile is brought back by `…/recover`. */
export const enableEndpoint: Route = () =>
  route<{ Params: { id: string } }>({
    method: 'POST',
    url: '/v1/endpoints/:id/enable',
    schema: { body: emptyBody },
    preValidation: optionalBody,
    async handler(request, reply) {
      const result = await endpoints.change(request.idempotent.effects, changeOf(request), async (row, tx) =>
        row.disabled_at === null ? row : enable(tx, { tenant: request.tenant, id: row.id }),
      );
      if ('refused' in result) return sendProblem(reply, result.refused);
      return sendResource(reply, result.changed, endpointJson(result.changed));
    },
  });
