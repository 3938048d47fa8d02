import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { createSession, deleteSession, getMe, listSessions, maxSessionSeconds, redeemSession } from '#lib/api-contract';
import { createId } from '#lib/runtime';
import { bodyLimits } from '../http/body-limits.ts';
import { answerPage, type PageRequest } from '../http/paging.ts';
import { optionalBody } from '../http/patch-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { allTenants, keyIdOf } from '../keys/identify-caller.ts';
import { credentialHash, idInCredential, newCredential } from '../keys/key-text.ts';
import { hasScope } from '../keys/scopes.ts';
import { limitRedeeming } from '../limits/rates.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { type Route, serve } from '../route.ts';
import {
  countOpenSessions,
  endSession,
  insertSession,
  lockSession,
  querySessions,
  redeemCode,
  sessionEnds,
  sessionId,
  sessionOf,
  shownPortal,
} from './session-rows.ts';

/** The only answer that shows the token, or the code that is redeemed for it. */
const create = serve(
  createSession,
  (deps) => async (request, reply) => {
    const { clock, random, limits, operatorKeys } = deps;
    const { caller, credential, idempotent, body } = request;
    const { tenant = request.tenant, code: isCode = false } = body;
    if (tenant !== request.tenant && !(tenant === allTenants && caller.tenant === undefined))
      return sendInvalid(reply, [{ field: '/tenant', message: notItsTenant(caller.tenant) }]);
    const beyond = body.scopes?.find((scope) => !hasScope(caller.scopes, scope));
    if (beyond !== undefined) return sendProblem(reply, 'forbidden', `The key does not have the scope ${beyond}`);

    const id = createId('ses', clock.nowMs(), random);
    const text = newCredential(isCode ? 'hc' : 'hs', id, random);
    const most = limits.of(tenant, 'sessions');
    const row = await idempotent.effects.transaction(async (tx) => {
      if ((await countOpenSessions(tx, tenant, operatorKeys.fingerprints, most)) >= most) return undefined;
      const inserted = await insertSession(tx, {
        tenant,
        id,
        keyId: credential,
        operatorKey: caller.operatorKey?.fingerprint ?? null,
        scopes: body.scopes ?? caller.scopes,
        portal: null,
        hash: credentialHash(text),
        isCode,
        seconds: body.expires_in_seconds ?? maxSessionSeconds,
      });
      await request.audit(tx, { id, tenant, after: sessionOf(inserted) });
      return inserted;
    });
    if (row === undefined) return refuseBeyondLimit(reply, 'sessions', deps);
    const credentials = isCode
      ? { token: null, code: text, code_expires_at: row.code_expires_at }
      : { token: text, code: null, code_expires_at: null };
    return reply.code(201).send({ ...sessionOf(row), ...credentials });
  },
  () => ({ preValidation: optionalBody }),
);

/** For anyone who has a code. A wrong code, one that is too late and one that was redeemed look the same. */
const redeem = serve(
  redeemSession,
  ({ postgres, operatorKeys, random }) =>
    async (request, reply) => {
      const { code } = request.body;
      const id = idInCredential('hc', code);
      if (id === undefined) return refuse(reply);
      const given = credentialHash(code);
      const { fingerprints } = operatorKeys;
      const token = newCredential('hs', id, random);
      const redeemed = await postgres.transaction(async (tx) => {
        const row = await lockSession(tx, id, { fingerprints });
        if (row?.code_hash == null || !timingSafeEqual(given, row.code_hash) || !row.is_open) return undefined;
        const after = await redeemCode(tx, row, credentialHash(token));
        const actor = { credential: row.key_id, sessionId: id };
        await request.audit(tx, { id, tenant: row.tenant, before: sessionOf(row), after: sessionOf(after), actor });
        return after;
      });
      if (redeemed === undefined) return refuse(reply);
      request.tenant = redeemed.tenant;
      request.credential = redeemed.key_id;
      return { ...sessionOf(redeemed), token, code: null, code_expires_at: null };
    },
  (deps) => ({ bodyLimit: bodyLimits.redeem, preValidation: limitRedeeming(deps, 'session') }),
);

/** Lists sessions that have not ended. */
const list = serve(listSessions, ({ postgres, apiUrl, operatorKeys }) => (request, reply) => {
  const read = (page: PageRequest) => querySessions(postgres, request.tenant, operatorKeys.fingerprints, page);
  return answerPage({ request, reply, apiUrl }, sessionId, read, sessionOf);
});

/** Takes effect within seconds. A session ends itself with any scope. */
const end = serve(deleteSession, ({ postgres, operatorKeys }) => async (request, reply) => {
  const { caller, tenant } = request;
  const { id } = request.params;
  if (!sessionId.test(id)) return sendProblem(reply, 'not_found');
  // Sessions for all tenants are the operator's, whichever tenant the request names.
  const tenants = caller.tenant === undefined ? [tenant, allTenants] : [tenant];
  const row = await postgres.transaction(async (tx) => {
    const session = await lockSession(tx, id, { tenants, fingerprints: operatorKeys.fingerprints });
    if (session?.is_open !== true) return session;
    await endSession(tx, session);
    await request.audit(tx, { id, tenant: session.tenant, before: sessionOf(session) });
    return session;
  });
  if (row === undefined) return sendProblem(reply, 'not_found');
  return row.is_open ? reply.code(204).send() : sendProblem(reply, 'gone');
});

/** From memory, and with any scope. */
const me = serve(getMe, ({ clock }) => async ({ caller, tenant }) => {
  const { type, id, scopes, session } = caller;
  return {
    credential: { type, id, key_id: keyIdOf(caller) },
    tenant,
    all_tenants: caller.tenant === undefined,
    scopes,
    portal: session?.portal === undefined ? null : shownPortal(session.portal),
    ...(session === undefined ? { expires_at: null, idle_expires_at: null } : sessionEnds(session, clock)),
  };
});

export const sessionRoutes: readonly Route[] = [create, redeem, list, end];
export const meRoutes: readonly Route[] = [me];

const notItsTenant = (tenant: string | undefined): string =>
  tenant === undefined
    ? 'must be `*` or the tenant of the request, which the header Hookline-Tenant names'
    : `must be the tenant of the key, or absent`;

const refuse = (reply: FastifyReply): FastifyReply =>
  sendProblem(reply, 'unauthorized', 'The code is unknown, too old, or redeemed already');
