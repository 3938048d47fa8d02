import { deleteTenant, getTenant, listLimits, listTenants, putTenant } from '#lib/api-contract';
import { createId, formatMicros, nowMicros } from '#lib/runtime';
import { deleteTenantRows, deletionOf } from '../erasures/index.ts';
import { answerPage, type PageRequest } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { notTenant, tenantPattern } from '../keys/caller.ts';
import { allTenants } from '../keys/identify-caller.ts';
import { type Route, serve } from '../route.ts';
import { limitsOfCaller } from './limits-of-caller.ts';
import { findKnownTenant, findTenant, queryTenants, tenantOf, writeTenant } from './queries.ts';

const noName = { field: 'id', message: notTenant };

const list = serve(listTenants, ({ postgres, apiUrl, limitSettings }) => (request, reply) => {
  const read = (page: PageRequest) => queryTenants(postgres, page);
  return answerPage({ request, reply, apiUrl }, tenantPattern, read, (row) => tenantOf(row, limitSettings));
});

const get = serve(getTenant, ({ postgres, limitSettings, erased }) => async (request, reply) => {
  const { id } = request.params;
  if (erased.hasTenant(id)) return sendProblem(reply, 'gone', 'The tenant was deleted');
  const row = tenantPattern.test(id) ? await findKnownTenant(postgres, id) : undefined;
  return row === undefined ? sendProblem(reply, 'not_found') : tenantOf(row, limitSettings);
});

const put = serve(putTenant, ({ postgres, limitSettings, erased }) => async (request, reply) => {
  const { id } = request.params;
  if (!tenantPattern.test(id)) return sendInvalid(reply, [noName]);
  if (erased.hasTenant(id)) return sendProblem(reply, 'gone', 'The tenant was deleted');
  const { name, limits = {} } = request.body;
  return postgres.transaction(async (tx) => {
    const before = await writeTenant(tx, id, { name, limits });
    if (before !== undefined)
      await request.audit(tx, { id, tenant: id, before: { ...before }, after: { name, limits } });
    return tenantOf(await findTenant(tx, id), limitSettings);
  });
});

const remove = serve(deleteTenant, ({ postgres, clock, random, erased }) => async (request, reply) => {
  const tenant = request.params.id;
  if (!tenantPattern.test(tenant)) return sendInvalid(reply, [noName]);
  if (request.query.confirm !== tenant)
    return sendInvalid(reply, [{ field: 'confirm', message: 'must be the id of the tenant' }]);
  const id = createId('ers', clock.nowMs(), random);
  const { erasure, isNew } = await postgres.transaction(async (tx) => {
    const begun = await deleteTenantRows(tx, { tenant, id, asOf: formatMicros(nowMicros(clock)) });
    // Not among the tenant's own entries, which go.
    if (begun.isNew) await request.audit(tx, { id: tenant, tenant: allTenants, after: { erasure_id: id } });
    return begun;
  });
  if (isNew) await erased.refresh();
  return reply.code(202).send(deletionOf(erasure));
});

/** For the operator. */
export const tenantRoutes: readonly Route[] = [list, get, put, remove];

const listOfLimits = serve(
  listLimits,
  (deps) =>
    ({ tenant, credential, caller }) =>
      limitsOfCaller(deps, { tenant, credential, key: caller.key }),
);

export const limitRoutes: readonly Route[] = [listOfLimits];
