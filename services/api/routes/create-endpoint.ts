import { createId } from '#lib/ids';
import { generateSecret } from '#lib/signatures';
import { contentOf, endpointFields, type GivenEndpoint, refusalOf } from '../endpoint-settings.ts';
import { sendResource } from '../etag.ts';
import { secret } from '../fields.ts';
import { endpointJson, insertEndpoint } from '../resources/endpoint.ts';
import { type Route, route } from '../route.ts';
import { sendInvalid } from '../send-problem.ts';

interface Body extends GivenEndpoint {
  secret?: string;
}

const body = (payloadRetentionDays: number) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['url'],
    properties: { ...endpointFields(payloadRetentionDays), secret },
  }) as const;

/** `POST /v1/endpoints`: the only answer that shows the secret. */
export const createEndpoint: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/endpoints',
    schema: { body: body(deps.payloadRetentionDays) },
    async handler(request, reply) {
      const { postgres, secretBox, clock, random } = deps;
      const { tenant } = request;
      const { secret = generateSecret(random), ...given } = request.body;
      const content = contentOf(given);
      const refusal = await refusalOf({ ...content, secret }, undefined, { ...deps, tenant });
      if (refusal !== undefined) return sendInvalid(reply, refusal.errors, refusal.code);
      const id = createId('ep', clock.nowMs(), random);
      const row = await insertEndpoint(postgres, secretBox, { tenant, id, secret, ...content });
      void reply.code(201).header('location', `/v1/endpoints/${id}`);
      return sendResource(reply, row, { ...endpointJson(row), secret });
    },
  });
