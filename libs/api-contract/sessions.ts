import { capabilities, scopes } from './access.ts';
import { givenScopes } from './api-keys.ts';
import { wholeNumber } from './fields.ts';
import { component, operation, page, resource } from './operation.ts';
import { pageQuery } from './paging.ts';
import {
  closedObject,
  extend,
  flag,
  id,
  list,
  nullable,
  object,
  oneOf,
  saying,
  type Static,
  text,
  textOf,
  time,
} from './schema.ts';

/** A session lasts no longer, used or not; so long by default. */
export const maxSessionSeconds = 12 * 3_600;

const portal = saying(
  'of a portal session, which has no scopes; null for others',
  nullable(
    object({
      link_id: id('lnk'),
      capabilities: list(oneOf(capabilities)),
      return_url: nullable(text),
      accent: nullable(text),
    }),
  ),
);

export const session = component(
  'Session',
  object({
    id: id('ses'),
    tenant: saying('the only tenant that it sees; `*`: all', text),
    key_id: saying('the key that it was made from; `admin`: the operator’s key', text),
    scopes: list(oneOf(scopes)),
    portal,
    redeemed: saying('whether it has a token; false: its code has not been redeemed yet', flag),
    created_at: time,
    expires_at: saying('when it ends, used or not', time),
    idle_expires_at: saying('when it ends if unused; accurate to a minute', time),
  }),
);

export type Session = Static<typeof session.schema>;

const newSession = component(
  'NewSession',
  extend(session.schema, {
    token: saying('shown only in this response; null with a code', nullable(text)),
    code: saying('shown only in this response', nullable(text)),
    code_expires_at: nullable(time),
  }),
);

const me = component(
  'Me',
  object({
    credential: object({
      type: oneOf(['key', 'session', 'operator']),
      id: saying('id of the key or session; `admin` for the operator', text),
      key_id: saying('id of the key; of a session, the key that it was made from', text),
    }),
    tenant: saying('the tenant of this request', text),
    all_tenants: saying('whether `Hookline-Tenant` may name any tenant', flag),
    scopes: list(oneOf(scopes)),
    portal,
    expires_at: saying('of a session: when it ends, used or not', nullable(time)),
    idle_expires_at: saying('of a session: when it ends if unused', nullable(time)),
  }),
);

export const createSession = operation({
  method: 'POST',
  path: '/v1/sessions',
  tag: 'Sessions',
  id: 'createSession',
  summary: 'Make a session of this key: a token with the same or fewer scopes, and an end',
  description:
    'The token is a bearer credential like the key. It ends two hours after its last use, after `expires_in_seconds` (12 hours at most, the default), when somebody ends it, and with its key. Its tenant is that of the request; with the operator’s key, `tenant`: `*` is all. With `code`, the answer has a code instead of the token, for one `POST /v1/sessions/redeem` within a minute: for handing the session to a browser.',
  access: { scope: 'admin', audit: 'session.create', notBySession: 'make sessions' },
  body: closedObject(
    {},
    {
      tenant: textOf({ maxLength: 64 }),
      scopes: givenScopes,
      expires_in_seconds: wholeNumber(60, maxSessionSeconds),
      code: flag,
    },
  ),
  example: { scopes: ['read'], expires_in_seconds: 3_600 },
  answers: { 201: { is: 'The session; the only response that contains the token or code', body: newSession.ref } },
  errors: ['limit_reached'],
});

export const redeemSession = operation({
  method: 'POST',
  path: '/v1/sessions/redeem',
  tag: 'Sessions',
  id: 'redeemSession',
  summary: 'Redeem the code of a session for its token, once',
  description: 'Needs no key: the code is the credential.',
  access: { audit: 'session.redeem', idempotencyKey: 'ignored' },
  body: closedObject({ code: textOf({ maxLength: 200 }) }),
  example: { code: 'a code of POST /v1/sessions' },
  answers: { 200: { is: 'The session; the only response that contains the token', body: newSession.ref } },
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

export const listSessions = operation({
  method: 'GET',
  path: '/v1/sessions',
  tag: 'Sessions',
  id: 'listSessions',
  summary: 'List sessions that have not ended, oldest first',
  description: 'With `Hookline-Tenant: *`, those of the operator for all tenants.',
  access: { scope: 'admin', ofAllTenants: true },
  query: pageQuery,
  answers: { 200: page(session, 'Sessions that have not ended') },
});

export const deleteSession = operation({
  method: 'DELETE',
  path: '/v1/sessions/:id',
  tag: 'Sessions',
  id: 'deleteSession',
  summary: 'End a session; this takes effect within seconds',
  description: 'A session may end itself; another one needs the scope `admin`.',
  access: { scope: 'admin', orSessionItself: true, audit: 'session.end', ofAllTenants: true },
  answers: { 204: { is: 'The session has ended' } },
  errors: ['gone'],
});

export const getMe = operation({
  method: 'GET',
  path: '/v1/me',
  tag: 'Sessions',
  id: 'getMe',
  summary: 'Show the credential of this request: its tenant, its scopes and its end',
  access: { scope: 'any', capability: 'any', ofAllTenants: true },
  answers: { 200: { is: 'The credential', body: me.ref } },
});

export const sessions = resource({
  tag: 'Sessions',
  description:
    'Tokens made from a key, with the same or fewer scopes and an end. A session makes no keys and no sessions.',
  components: [session, newSession, me],
  operations: [createSession, redeemSession, listSessions, deleteSession, getMe],
});
