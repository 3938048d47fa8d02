import { type Scope, scopes } from '#lib/api-contract';
import { createId } from '#lib/ids';
import { optionalBody } from '../http/optional-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { allTenants } from '../keys/identify-caller.ts';
import { credentialHash, newCredential } from '../keys/key-text.ts';
import { hasScope } from '../keys/scopes.ts';
import { maxSessionSeconds } from '../keys/session-ends.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Operation } from '../openapi/operation.ts';
import { countOpenSessions, insertSession, sessionJson } from '../resources/session.ts';
import { type Route, route } from '../route.ts';
import { wholeNumber } from '../settings/fields.ts';

interface Body {
  tenant?: string;
  scopes?: Scope[];
  expires_in_seconds?: number;
  code?: boolean;
}

const body = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tenant: { type: 'string', maxLength: 64 },
    scopes: {
      type: 'array',
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      items: { type: 'string', enum: scopes },
    },
    expires_in_seconds: wholeNumber(60, maxSessionSeconds),
    code: { type: 'boolean' },
  },
} as const;

const operation: Operation = {
  tag: 'Sessions',
  id: 'createSession',
  summary: 'Make a session of this key: a token with the same or fewer scopes, and an end',
  description:
    'The token is a bearer credential like the key. It ends two hours after its last use, after `expires_in_seconds` (12 hours at most, the default), when somebody ends it, and with its key. Its tenant is that of the request; with the operator’s key, `tenant`: `*` is all. With `code`, the answer has a code instead of the token, for one `POST /v1/sessions/redeem` within a minute: for handing the session to a browser.',
  answers: {
    201: {
      is: 'The session; the only response that contains the token or code',
      body: 'NewSession',
    },
  },
  errors: ['limit_reached'],
};

/** `POST /v1/sessions`: the only answer that shows the token, or the code that is redeemed for it. */
export const createSession: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/sessions',
    config: { operation, scope: 'admin', audit: 'session.create', notBySession: 'make sessions' },
    schema: { body },
    preValidation: optionalBody,
    async handler(request, reply) {
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
        await request.audit(tx, { id, tenant, after: sessionJson(inserted) });
        return inserted;
      });
      if (row === undefined) return refuseBeyondLimit(reply, 'sessions', deps);
      const credentials = isCode
        ? { token: null, code: text, code_expires_at: row.code_expires_at }
        : { token: text, code: null, code_expires_at: null };
      return reply.code(201).send({ ...sessionJson(row), ...credentials });
    },
  });

const notItsTenant = (tenant: string | undefined): string =>
  tenant === undefined
    ? 'must be `*` or the tenant of the request, which the header Hookline-Tenant names'
    : `must be the tenant of the key, or absent`;
