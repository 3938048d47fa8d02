import { type Scope, scopes } from '#lib/api-contract';
import { createId } from '#lib/ids';
import type { Rate } from '#lib/rate-limit';
import { sendResource } from '../http/etag.ts';
import { type FieldErrors, sendInvalid } from '../http/send-problem.ts';
import { credentialHash, newCredential } from '../keys/key-text.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { tenantRate } from '../limits/tenant-rate.ts';
import type { Operation } from '../openapi/operation.ts';
import { apiKeyJson, apiKeyRoom, type GivenRate, insertApiKey } from '../resources/api-key.ts';
import { limitOfRoom } from '../resources/tenant-room.ts';
import { type Route, route } from '../route.ts';
import { name, rateLimit } from '../settings/fields.ts';

interface Body {
  name: string;
  scopes: Scope[];
  rate_limit?: GivenRate;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'scopes'],
  properties: {
    name,
    scopes: {
      type: 'array',
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      items: { type: 'string', enum: scopes },
    },
    rate_limit: rateLimit,
  },
} as const;

const operation: Operation = {
  tag: 'API keys',
  id: 'createApiKey',
  summary: 'Create an API key',
  answers: {
    201: {
      is: 'The API key; the only response that contains the key itself',
      body: 'ApiKeyWithText',
      headers: ['Location', 'ETag'],
    },
  },
  errors: ['limit_reached'],
};

/** `POST /v1/api-keys`: the only answer that shows the key. */
export const createApiKey: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/api-keys',
    config: { operation, scope: 'admin', audit: 'api_key.create', notBySession: 'make keys' },
    schema: { body },
    async handler(request, reply) {
      const { clock, random, keyRate, limits } = deps;
      const { tenant, body, idempotent } = request;
      const errors = rateErrors(body.rate_limit, tenantRate(limits, tenant));
      if (errors.length > 0) return sendInvalid(reply, errors);
      const id = createId('key', clock.nowMs(), random);
      const key = newCredential('hk', id, random);
      const content = { name: body.name, scopes: body.scopes, rate_limit: body.rate_limit ?? null };
      const row = await idempotent.effects.transaction(async (tx) => {
        const inserted = await insertApiKey(tx, { tenant, id, hash: credentialHash(key), ...content }, limits);
        if (inserted !== undefined) await request.audit(tx, { id, after: apiKeyJson(inserted, keyRate) });
        return inserted;
      });
      if (row === undefined)
        return refuseBeyondLimit(reply, await limitOfRoom(idempotent.effects, apiKeyRoom(tenant, limits)), deps);
      void reply.code(201).header('location', `/v1/api-keys/${id}`);
      return sendResource(reply, row, { ...apiKeyJson(row, keyRate), key });
    },
  });

/** A key can't have a higher rate than its tenant, which only the operator raises. */
function rateErrors(given: GivenRate | undefined, most: Rate): FieldErrors {
  if (given === undefined) return [];
  const refuseAbove = (name: keyof GivenRate, limit: number): FieldErrors =>
    given[name] <= limit
      ? []
      : [
          {
            field: `/rate_limit/${name}`,
            message: `must not exceed ${limit}, the limit requests_per_second of the tenant`,
          },
        ];
  return [...refuseAbove('per_second', most.perSecond), ...refuseAbove('burst', most.burst)];
}
