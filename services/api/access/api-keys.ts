import { createApiKey, deleteApiKey, getApiKey, listApiKeys } from '#lib/api-contract';
import type { Rate } from '#lib/rate-limit';
import { createId } from '#lib/runtime';
import { changeOf, sendCreated, sendFound, sendRemoved } from '../http/etag.ts';
import { answerPage, type PageRequest } from '../http/paging.ts';
import { type FieldErrors, sendInvalid } from '../http/send-problem.ts';
import { credentialHash, newCredential } from '../keys/key-text.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { tenantRate } from '../limits/rates.ts';
import { limitOfRoom } from '../resources/tenant-room.ts';
import { type Route, serve } from '../route.ts';
import { apiKeyOf, apiKeyRoom, apiKeyTable, type GivenRate, insertApiKey } from './api-key-rows.ts';

/** The only answer that shows the key. */
const create = serve(createApiKey, (deps) => async (request, reply) => {
  const { clock, random, keyRate, limits } = deps;
  const { tenant, body, idempotent } = request;
  const errors = rateErrors(body.rate_limit, tenantRate(limits, tenant));
  if (errors.length > 0) return sendInvalid(reply, errors);
  const id = createId('key', clock.nowMs(), random);
  const key = newCredential('hk', id, random);
  const content = { name: body.name, scopes: body.scopes, rate_limit: body.rate_limit ?? null };
  const row = await idempotent.effects.transaction(async (tx) => {
    const inserted = await insertApiKey(tx, { tenant, id, hash: credentialHash(key), ...content }, limits);
    if (inserted !== undefined) await request.audit(tx, { id, after: apiKeyOf(inserted, keyRate) });
    return inserted;
  });
  if (row === undefined)
    return refuseBeyondLimit(reply, await limitOfRoom(idempotent.effects, apiKeyRoom(tenant, limits)), deps);
  return sendCreated(reply, `/v1/api-keys/${id}`, row, { ...apiKeyOf(row, keyRate), key });
});

const list = serve(listApiKeys, ({ postgres, apiUrl, keyRate }) => (request, reply) => {
  const read = (page: PageRequest) => apiKeyTable.list(postgres, request.tenant, page);
  return answerPage({ request, reply, apiUrl }, apiKeyTable.idPattern, read, (row) => apiKeyOf(row, keyRate));
});

const get = serve(getApiKey, ({ postgres, keyRate }) => async (request, reply) => {
  const found = await apiKeyTable.find(postgres, request.tenant, request.params.id);
  return sendFound(reply, found, (row) => apiKeyOf(row, keyRate));
});

/** Takes effect within seconds. */
const remove = serve(deleteApiKey, ({ postgres, keyRate }) => async (request, reply) => {
  const result = await apiKeyTable.remove(postgres, changeOf(request), (row, tx) =>
    request.audit(tx, { id: row.id, before: apiKeyOf(row, keyRate) }),
  );
  return sendRemoved(reply, result);
});

export const apiKeyRoutes: readonly Route[] = [create, list, get, remove];

/** A key can't have a higher rate than its tenant, which only the operator raises. */
function rateErrors(given: GivenRate | undefined, most: Rate): FieldErrors {
  if (given === undefined) return [];
  const limits = { per_second: most.perSecond, burst: most.burst };
  return (['per_second', 'burst'] as const)
    .filter((name) => given[name] > limits[name])
    .map((name) => ({
      field: `/rate_limit/${name}`,
      message: `must not exceed ${limits[name]}, the limit requests_per_second of the tenant`,
    }));
}
