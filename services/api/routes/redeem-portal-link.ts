import { timingSafeEqual } from 'node:crypto';
import { createId } from '#lib/ids';
import { bodyLimits } from '../http/body-limits.ts';
import { sendProblem } from '../http/send-problem.ts';
import { credentialHash, idInCredential, newCredential } from '../keys/key-text.ts';
import { maxSessionSeconds } from '../keys/session-ends.ts';
import { limitRedeeming } from '../limits/limit-redeeming.ts';
import type { Operation } from '../openapi/operation.ts';
import { findPortalLink, portalLinkJson, redeemPortalLink } from '../resources/portal-link.ts';
import { insertSession, sessionJson } from '../resources/session.ts';
import { type Route, route } from '../route.ts';

interface Body {
  code: string;
  dry_run?: boolean;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['code'],
  properties: { code: { type: 'string', maxLength: 200 }, dry_run: { type: 'boolean' } },
} as const;

const operation: Operation = {
  tag: 'Portal links',
  id: 'redeemPortalLink',
  summary: 'Redeem the code of a portal link for the token of a session, once',
  description:
    'Needs no key: the code is the credential. With `dry_run`, the answer is whether it could be redeemed, and the code stays usable: for the page that a link opens, which scanners of mail and chats ask for too. 404 for an unknown code; 410 once it is redeemed, revoked or past its end.',
  answers: { 200: { is: 'The link; without `dry_run`, with its session and token', body: 'RedeemedPortalLink' } },
  errors: [
    'validation_failed',
    'not_found',
    'gone',
    'rate_limited',
    'payload_too_large',
    'unsupported_media_type',
    'unavailable',
  ],
  isPublic: true,
};

/** `POST /v1/portal-links/redeem`, for anyone who has a code. */
export const redeemPortalLinkRoute: Route = ({ postgres, limiter, operatorKeys, clock, random }) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/portal-links/redeem',
    config: { operation, audit: 'portal_link.redeem', idempotencyKey: 'ignored' },
    bodyLimit: bodyLimits.redeem,
    schema: { body },
    preValidation: limitRedeeming({ limiter }, 'link'),
    async handler(request, reply) {
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
          ...{ tenant, id: sessionId, keyId, operatorKey },
          ...{ scopes: [], portal: { link_id: id, capabilities, return_url, accent } },
          ...{ hash: credentialHash(token), isCode: false, seconds: maxSessionSeconds },
        });
        const redeemed = await redeemPortalLink(tx, link, { sessionId, fingerprints });
        const actor = { credential: keyId, sessionId };
        await request.audit(tx, { id, tenant, before: portalLinkJson(link), after: portalLinkJson(redeemed), actor });
        return { link: redeemed, session, token };
      });
      if (typeof result === 'string') return sendProblem(reply, result);
      const { link, session, token } = result;
      request.tenant = link.tenant;
      request.credential = session?.id ?? link.key_id;
      return { link: portalLinkJson(link), session: session && sessionJson(session), token };
    },
  });
