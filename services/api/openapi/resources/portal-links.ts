import { capabilities, extend, id, list, nullable, object, oneOf, saying, text, time } from '#lib/api-contract';
import { linkStatuses } from '../../resources/portal-link.ts';
import { type DocumentedResource, ref } from '../operation.ts';

const link = object({
  id: id('lnk'),
  tenant: text,
  status: saying('`ended`: past its end, or its key was revoked', oneOf(linkStatuses)),
  capabilities: list(oneOf(capabilities)),
  return_url: saying('URL of the link back from the portal', nullable(text)),
  accent: saying('colour of the portal’s header and buttons', nullable(text)),
  session_id: saying('the session that it was redeemed for', nullable(id('ses'))),
  created_at: time,
  expires_at: time,
  redeemed_at: nullable(time),
});

export const documentedPortalLinks: DocumentedResource = {
  tag: 'Portal links',
  description:
    'Links that sign a customer in to the portal: each is redeemed once for a session without scopes, which may do what its capabilities say and nothing else. `view`: see endpoints, events, deliveries, replays and event types; `replay`: send again; `endpoints`: create and change endpoints; `secrets`: rotate their secrets.',
  schemas: {
    PortalLink: link,
    NewPortalLink: extend(link, {
      code: saying('shown only in this response', text),
      url: saying('the link for the customer; null without HOOKLINE_PORTAL_URL', nullable(text)),
    }),
    RedeemedPortalLink: object({
      link: ref('PortalLink'),
      session: saying('null with `dry_run`', { anyOf: [ref('Session'), { type: 'null' }] }),
      token: saying('shown only in this response; null with `dry_run`', nullable(text)),
    }),
  },
};
