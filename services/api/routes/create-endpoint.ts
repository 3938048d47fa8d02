import { createId } from '#lib/ids';
import { generateSecret } from '#lib/signatures';
import { sendResource } from '../http/etag.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Operation } from '../openapi/operation.ts';
import { endpointJson, endpointRoom, insertEndpoint } from '../resources/endpoint.ts';
import { newSecret } from '../resources/stored-secrets.ts';
import { limitOfRoom } from '../resources/tenant-room.ts';
import { type Route, route } from '../route.ts';
import { endpointFields, type GivenEndpoint } from '../settings/endpoint-settings.ts';
import { secret } from '../settings/fields.ts';
import { judgeEndpoint } from '../settings/judge-endpoint.ts';

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

const operation: Operation = {
  tag: 'Endpoints',
  id: 'createEndpoint',
  summary: 'Create an endpoint',
  answers: {
    201: { is: 'The endpoint, with its secret', body: 'EndpointWithSecret', headers: ['Location', 'ETag'] },
  },
  errors: ['url_not_allowed', 'limit_reached'],
};

/** `POST /v1/endpoints`: the only answer that shows the secret. */
export const createEndpoint: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/endpoints',
    config: { operation, audit: 'endpoint.create' },
    schema: { body: body(deps.payloadRetentionDays) },
    async handler(request, reply) {
      const { secretBox, clock, random, limits } = deps;
      const { tenant, idempotent } = request;
      const { effects } = idempotent;
      const { secret = generateSecret(random), ...given } = request.body;
      const judged = await judgeEndpoint({ ...given, secret }, undefined, { ...deps, postgres: effects, tenant });
      if ('errors' in judged) return sendInvalid(reply, judged.errors, judged.code);
      const { content } = judged;
      const id = createId('ep', clock.nowMs(), random);
      const secrets = [newSecret(secret, content.settings.ed25519 ?? false, random)];
      const row = await effects.transaction(async (tx) => {
        const inserted = await insertEndpoint(tx, secretBox, { tenant, id, secrets, ...content }, limits);
        if (inserted !== undefined) await request.audit(tx, { id, after: endpointJson(inserted) });
        return inserted;
      });
      if (row === undefined)
        return refuseBeyondLimit(reply, await limitOfRoom(effects, endpointRoom(tenant, limits)), deps);
      void reply.code(201).header('location', `/v1/endpoints/${id}`);
      return sendResource(reply, row, { ...endpointJson(row), secret });
    },
  });
