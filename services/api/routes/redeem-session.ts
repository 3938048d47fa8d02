import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { bodyLimits } from '../http/body-limits.ts';
import { sendProblem } from '../http/send-problem.ts';
import { credentialHash, idInCredential, newCredential } from '../keys/key-text.ts';
import { limitRedeeming } from '../limits/limit-redeeming.ts';
import type { Operation } from '../openapi/operation.ts';
import { lockSession, redeemCode, sessionJson } from '../resources/session.ts';
import { type Route, route } from '../route.ts';

interface Body {
  code: string;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['code'],
  properties: { code: { type: 'string', maxLength: 200 } },
} as const;

const operation: Operation = {
  tag: 'Sessions',
  id: 'redeemSession',
  summary: 'Redeem the code of a session for its token, once',
  description: 'Needs no key: the code is the credential.',
  answers: { 200: { is: 'The session; the only response that contains the token', body: 'NewSession' } },
  errors: [
    'validation_failed',
    'unauthorized',
    'rate_limited',
    'payload_too_large',
    'unsupported_media_type',
    'unavailable',
  ],
  isPublic: true,
};

/** `POST /v1/sessions/redeem`, for anyone who has a code. A wrong code, one that is too late and one that was redeemed look the same. */
export const redeemSession: Route = ({ postgres, limiter, operatorKeys, random }) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/sessions/redeem',
    config: { operation, audit: 'session.redeem', idempotencyKey: 'ignored' },
    bodyLimit: bodyLimits.redeem,
    schema: { body },
    preValidation: limitRedeeming({ limiter }, 'session'),
    async handler(request, reply) {
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
        await request.audit(tx, { id, tenant: row.tenant, before: sessionJson(row), after: sessionJson(after), actor });
        return after;
      });
      if (redeemed === undefined) return refuse(reply);
      request.tenant = redeemed.tenant;
      request.credential = redeemed.key_id;
      return { ...sessionJson(redeemed), token, code: null, code_expires_at: null };
    },
  });

const refuse = (reply: FastifyReply): FastifyReply =>
  sendProblem(reply, 'unauthorized', 'The code is unknown, too old, or redeemed already');
