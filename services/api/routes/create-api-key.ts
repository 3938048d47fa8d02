import { createId } from '#lib/ids';
import { sendResource } from '../etag.ts';
import { name, rateLimit } from '../fields.ts';
import { keyHash, newKeyText } from '../keys/key-text.ts';
import { type Scope, scopes } from '../keys/scopes.ts';
import { apiKeyJson, type GivenRate, insertApiKey } from '../resources/api-key.ts';
import { type Route, route } from '../route.ts';

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
    scopes: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', enum: scopes } },
    rate_limit: rateLimit,
  },
} as const;

/** `POST /v1/api-keys`: the only answer that shows the key. */
export const createApiKey: Route = ({ clock, random, keyRate }) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/api-keys',
    config: { scope: 'admin' },
    schema: { body },
    async handler(request, reply) {
      const { tenant, body, idempotent } = request;
      const id = createId('key', clock.nowMs(), random);
      const key = newKeyText(id, random);
      const row = await insertApiKey(idempotent.effects, {
        tenant,
        id,
        name: body.name,
        scopes: body.scopes,
        hash: keyHash(key),
        rate_limit: body.rate_limit ?? null,
      });
      void reply.code(201).header('location', `/v1/api-keys/${id}`);
      return sendResource(reply, row, { ...apiKeyJson(row, keyRate), key });
    },
  });
