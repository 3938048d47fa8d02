import {
  capabilities,
  extend,
  flag,
  id,
  list,
  nullable,
  object,
  oneOf,
  saying,
  scopes,
  text,
  time,
} from '#lib/api-contract';
import type { DocumentedResource } from '../operation.ts';

const ends = {
  expires_at: saying('when it ends, used or not', time),
  idle_expires_at: saying('when it ends if unused; accurate to a minute', time),
};

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

const session = object({
  id: id('ses'),
  tenant: saying('the only tenant that it sees; `*`: all', text),
  key_id: saying('the key that it was made from; `admin`: the operator’s key', text),
  scopes: list(oneOf(scopes)),
  portal,
  redeemed: saying('whether it has a token; false: its code has not been redeemed yet', flag),
  created_at: time,
  ...ends,
});

const me = object({
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
});

export const documentedSessions: DocumentedResource = {
  tag: 'Sessions',
  description:
    'Tokens made from a key, with the same or fewer scopes and an end. A session makes no keys and no sessions.',
  schemas: {
    Session: session,
    NewSession: extend(session, {
      token: saying('shown only in this response; null with a code', nullable(text)),
      code: saying('shown only in this response', nullable(text)),
      code_expires_at: nullable(time),
    }),
    Me: me,
  },
};
