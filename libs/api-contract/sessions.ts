import { capabilities, scopes } from './access.ts';
import { givenScopes } from './api-keys.ts';
import { wholeNumber } from './fields.ts';
import { answer, component, operationsOf, page, pageQuery, resource } from './operation.ts';
import * as t from './schema.ts';

const operation = operationsOf('Sessions');

/** A session lasts no longer, used or not; so long by default. */
export const maxSessionSeconds = 12 * 3_600;

const portal = t.saying(
  'of a portal session, which has no scopes; null for others',
  t.nullable(
    t.object({
      link_id: t.id('lnk'),
      capabilities: t.list(t.oneOf(capabilities)),
      return_url: t.nullable(t.text),
      accent: t.nullable(t.text),
    }),
  ),
);

export const session = component(
  'Session',
  t.object({
    id: t.id('ses'),
    tenant: t.saying('the only tenant that it sees; `*`: all', t.text),
    key_id: t.saying('the key that it was made from; `admin`: the operator’s key', t.text),
    scopes: t.list(t.oneOf(scopes)),
    portal,
    redeemed: t.saying('whether it has a token; false: its code has not been redeemed yet', t.flag),
    created_at: t.time,
    expires_at: t.saying('when it ends, used or not', t.time),
    idle_expires_at: t.saying('when it ends if unused; accurate to a minute', t.time),
  }),
);

export type Session = t.Static<typeof session.schema>;

const newSession = component(
  'NewSession',
  t.extend(session.schema, {
    token: t.saying('shown only in this response; null with a code', t.nullable(t.text)),
    code: t.saying('shown only in this response', t.nullable(t.text)),
    code_expires_at: t.nullable(t.time),
  }),
);

const me = component(
  'Me',
  t.object({
    credential: t.object({
      type: t.oneOf(['key', 'session', 'operator']),
      id: t.saying('id of the key or session; `admin` for the operator', t.text),
      key_id: t.saying('id of the key; of a session, the key that it was made from', t.text),
    }),
    tenant: t.saying('the tenant of this request', t.text),
    all_tenants: t.saying('whether `Hookline-Tenant` may name any tenant', t.flag),
    scopes: t.list(t.oneOf(scopes)),
    portal,
    expires_at: t.saying('of a session: when it ends, used or not', t.nullable(t.time)),
    idle_expires_at: t.saying('of a session: when it ends if unused', t.nullable(t.time)),
  }),
);

export const createSession = operation('POST', '/v1/sessions', {
  summary: 'Make a session of this key: a token with the same or fewer scopes, and an end',
  description:
    'The token is a bearer credential like the key. It ends two hours after its last use, after `expires_in_seconds` (12 hours at most, the default), when somebody ends it, and with its key. Its tenant is that of the request; with the operator’s key, `tenant`: `*` is all. With `code`, the answer has a code instead of the token, for one `POST /v1/sessions/redeem` within a minute: for handing the session to a browser.',
  access: { scope: 'admin', audit: 'session.create', notBySession: 'make sessions' },
  body: t.optionalFields({
    tenant: t.textOf({ maxLength: 64 }),
    scopes: givenScopes,
    expires_in_seconds: wholeNumber(60, maxSessionSeconds),
    code: t.flag,
  }),
  example: { scopes: ['read'], expires_in_seconds: 3_600 },
  answers: { 201: answer(newSession, 'The session; the only response that contains the token or code') },
  errors: ['limit_reached'],
});

export const redeemSession = operation('POST', '/v1/sessions/redeem', {
  summary: 'Redeem the code of a session for its token, once',
  description: 'Needs no key: the code is the credential.',
  access: { audit: 'session.redeem', idempotencyKey: 'ignored' },
  body: t.closedObject({ code: t.textOf({ maxLength: 200 }) }),
  example: { code: 'a code of POST /v1/sessions' },
  answers: { 200: answer(newSession, 'The session; the only response that contains the token') },
  errors: [
    'validation_failed',
    'unauthorized',
    'rate_limited',
    'payload_too_large',
    'unsupported_media_type',
    'unavailable',
  ],
  isPublic: true,
});

export const listSessions = operation('GET', '/v1/sessions', {
  summary: 'List sessions that have not ended, oldest first',
  description: 'With `Hookline-Tenant: *`, those of the operator for all tenants.',
  access: { scope: 'admin', ofAllTenants: true },
  query: pageQuery,
  answers: { 200: page(session, 'Sessions that have not ended') },
});

export const deleteSession = operation('DELETE', '/v1/sessions/:id', {
  summary: 'End a session; this takes effect within seconds',
  description: 'A session may end itself; another one needs the scope `admin`.',
  access: { scope: 'admin', orSessionItself: true, audit: 'session.end', ofAllTenants: true },
  answers: { 204: { is: 'The session has ended' } },
  errors: ['gone'],
});

export const getMe = operation('GET', '/v1/me', {
  summary: 'Show the credential of this request: its tenant, its scopes and its end',
  access: { scope: 'any', capability: 'any', ofAllTenants: true },
  answers: { 200: answer(me, 'The credential') },
});

export const sessions = resource({
  tag: 'Sessions',
  description:
    'Tokens made from a key, with the same or fewer scopes and an end. A session makes no keys and no sessions.',
  components: [session, newSession, me],
  operations: { createSession, redeemSession, listSessions, deleteSession, getMe },
});
