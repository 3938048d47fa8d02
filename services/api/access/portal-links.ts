import { timingSafeEqual } from 'node:crypto';
import {
  createPortalLink,
  deletePortalLink,
  getPortalLink,
  listPortalLinks,
  maxSessionSeconds,
  redeemPortalLink,
  usualLinkSeconds,
} from '#lib/api-contract';
import { createId } from '#lib/runtime';
import { bodyLimits } from '../http/body-limits.ts';
import { answerPage, type PageRequest } from '../http/paging.ts';
import { sendInvalid, sendMissing, sendProblem } from '../http/send-problem.ts';
import { keyIdOf } from '../keys/identify-caller.ts';
import { credentialHash, idInCredential, newCredential } from '../keys/key-text.ts';
import { limitRedeeming } from '../limits/rates.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { type Route, serve } from '../route.ts';
import {
  countOpenLinks,
  findPortalLink,
  insertPortalLink,
  noteRedeemed,
  portalLinkId,
  portalLinkOf,
  queryPortalLinks,
  revokePortalLink,
} from './portal-link-rows.ts';
import { countOpenSessions, endSession, insertSession, sessionOf } from './session-rows.ts';
import { validateLink } from './validate-link.ts';

/** The only answer that shows the code. */
const create = serve(createPortalLink, (deps) => async (request, reply) => {
  const { clock, random, limits, operatorKeys, portal } = deps;
  const { caller, tenant, idempotent, body } = request;
  if (body.tenant !== undefined && body.tenant !== tenant)
    return sendInvalid(reply, [{ field: '/tenant', message: `must be the tenant of the request, ${tenant}` }]);
  const errors = validateLink(body, portal);
  if (errors.length > 0) return sendInvalid(reply, errors);

  const id = createId('lnk', clock.nowMs(), random);
  const code = newCredential('hp', id, random);
  const most = limits.of(tenant, 'sessions');
  const row = await idempotent.effects.transaction(async (tx) => {
    const { fingerprints } = operatorKeys;
    const sessions = await countOpenSessions(tx, tenant, fingerprints, most);
    if (sessions + (await countOpenLinks(tx, tenant, fingerprints, most)) >= most) return undefined;
    const inserted = await insertPortalLink(tx, {
      tenant,
      id,
      keyId: keyIdOf(caller),
      operatorKey: caller.operatorKey?.fingerprint ?? null,
      capabilities: body.capabilities,
      returnUrl: body.return_url ?? null,
      accent: body.accent?.toLowerCase() ?? null,
      codeHash: credentialHash(code),
      seconds: body.expires_in_seconds ?? usualLinkSeconds,
    });
    await request.audit(tx, { id, after: portalLinkOf(inserted) });
    return inserted;
  });
  if (row === undefined) return refuseBeyondLimit(reply, 'sessions', deps);
  void reply.code(201).header('location', `/v1/portal-links/${id}`);
  return { ...portalLinkOf(row), code, url: portal.url === '' ? null : `${portal.url}/p/${code}` };
});

/** For anyone who has a code. */
const redeem = serve(
  redeemPortalLink,
  ({ postgres, operatorKeys, clock, random }) =>
    async (request, reply) => {
      const { code, dry_run: isDryRun = false } = request.body;
      const id = idInCredential('hp', code);
      if (id === undefined) return sendProblem(reply, 'not_found');
      const given = credentialHash(code);
      const { fingerprints } = operatorKeys;
      const result = await postgres.transaction(async (tx) => {
        const link = await findPortalLink(tx, id, { fingerprints, lock: true });
        if (link === undefined || !timingSafeEqual(given, link.code_hash)) return 'not_found';
        if (!link.is_open) return 'gone';
        if (isDryRun) return { link, session: null, token: null };
        const sessionId = createId('ses', clock.nowMs(), random);
        const token = newCredential('hs', sessionId, random);
        const { tenant, key_id: keyId, operator_key: operatorKey, capabilities, return_url, accent } = link;
        const session = await insertSession(tx, {
          tenant,
          id: sessionId,
          keyId,
          operatorKey,
          scopes: [],
          portal: { link_id: id, capabilities, return_url, accent },
          hash: credentialHash(token),
          isCode: false,
          seconds: maxSessionSeconds,
        });
        const redeemed = await noteRedeemed(tx, link, { sessionId, fingerprints });
        const actor = { credential: keyId, sessionId };
        await request.audit(tx, { id, tenant, before: portalLinkOf(link), after: portalLinkOf(redeemed), actor });
        return { link: redeemed, session, token };
      });
      if (typeof result === 'string') return sendProblem(reply, result);
      const { link, session, token } = result;
      request.tenant = link.tenant;
      request.credential = session?.id ?? link.key_id;
      return { link: portalLinkOf(link), session: session && sessionOf(session), token };
    },
  (deps) => ({ bodyLimit: bodyLimits.redeem, preValidation: limitRedeeming(deps, 'link') }),
);

const list = serve(listPortalLinks, ({ postgres, apiUrl, operatorKeys }) => (request, reply) => {
  const read = (page: PageRequest) => queryPortalLinks(postgres, request.tenant, operatorKeys.fingerprints, page);
  return answerPage({ request, reply, apiUrl }, portalLinkId, read, portalLinkOf);
});

const get = serve(getPortalLink, ({ postgres, operatorKeys }) => async ({ tenant, params }, reply) => {
  const row = await findPortalLink(postgres, params.id, { tenant, fingerprints: operatorKeys.fingerprints });
  return row === undefined || row.deleted_at !== null ? sendMissing(reply, row) : portalLinkOf(row);
});

/** Nobody gets in with it then, and whoever did is signed out within seconds. */
const revoke = serve(deletePortalLink, ({ postgres, operatorKeys }) => async (request, reply) => {
  const { tenant, params } = request;
  const { fingerprints } = operatorKeys;
  const row = await postgres.transaction(async (tx) => {
    const link = await findPortalLink(tx, params.id, { tenant, fingerprints, lock: true });
    if (link === undefined || link.deleted_at !== null) return link;
    await revokePortalLink(tx, link);
    if (link.session_id !== null) await endSession(tx, { tenant, id: link.session_id });
    await request.audit(tx, { id: link.id, before: portalLinkOf(link) });
    return link;
  });
  return row === undefined || row.deleted_at !== null ? sendMissing(reply, row) : reply.code(204).send();
});

export const portalLinkRoutes: readonly Route[] = [create, redeem, list, get, revoke];
