import { capabilities } from './access.ts';
import { wholeNumber } from './fields.ts';
import { answer, component, operationsOf, page, pageQuery, resource } from './operation.ts';
import * as t from './schema.ts';
import { session } from './sessions.ts';

const operation = operationsOf('Portal links');

const linkStatuses = ['open', 'redeemed', 'ended'] as const;

const day = 24 * 3_600;

/** How long a link is open by default. */
export const usualLinkSeconds = day;

const portalLink = component(
  'PortalLink',
  t.object({
    id: t.id('lnk'),
    tenant: t.text,
    status: t.saying('`ended`: past its end, or its key was revoked', t.oneOf(linkStatuses)),
    capabilities: t.list(t.oneOf(capabilities)),
    return_url: t.saying('URL of the link back from the portal', t.nullable(t.text)),
    accent: t.saying('colour of the portal’s header and buttons', t.nullable(t.text)),
    session_id: t.saying('the session that it was redeemed for', t.nullable(t.id('ses'))),
    created_at: t.time,
    expires_at: t.time,
    redeemed_at: t.nullable(t.time),
  }),
);

export type PortalLink = t.Static<typeof portalLink.schema>;

const newPortalLink = component(
  'NewPortalLink',
  t.extend(portalLink.schema, {
    code: t.saying('shown only in this response', t.text),
    url: t.saying('the link for the customer; null without HOOKLINE_PORTAL_URL', t.nullable(t.text)),
  }),
);

const redeemedPortalLink = component(
  'RedeemedPortalLink',
  t.object({
    link: portalLink.ref,
    session: t.saying('null with `dry_run`', t.nullable(session.ref)),
    token: t.saying('shown only in this response; null with `dry_run`', t.nullable(t.text)),
  }),
);

export const createPortalLink = operation('POST', '/v1/portal-links', {
  summary: 'Make a link that signs a customer in to the portal, once',
  description:
    'One customer is one tenant: the tenant of the request, which `tenant` may repeat as a check. The link ends after `expires_in_seconds` (a day by default, a week at most), when it is redeemed or revoked, and with the key. `return_url` is the URL of the link back from the portal; its origin must be among those of `HOOKLINE_PORTAL_RETURN_ORIGINS`. Open links count as sessions of the tenant.',
  access: { scope: 'admin', audit: 'portal_link.create', notBySession: 'make portal links' },
  body: t.closedObject(
    { capabilities: t.list(t.textIn(capabilities), { minItems: 1, maxItems: capabilities.length, uniqueItems: true }) },
    {
      tenant: t.textOf({ maxLength: 64 }),
      expires_in_seconds: wholeNumber(60, 7 * day),
      return_url: t.textOf({ maxLength: 500, pattern: '^[^\\u0000-\\u0020\\u007f]*$', description: 'a URL' }),
      accent: t.textOf({ maxLength: 7, pattern: '^#[0-9a-fA-F]{6}$', description: 'a colour such as #1a5fb4' }),
    },
  ),
  example: { capabilities: ['view', 'replay'] },
  answers: {
    201: answer(newPortalLink, 'The link; the only response that contains the code', 'Location'),
  },
  errors: ['limit_reached'],
});

export const redeemPortalLink = operation('POST', '/v1/portal-links/redeem', {
  summary: 'Redeem the code of a portal link for the token of a session, once',
  description:
    'Needs no key: the code is the credential. With `dry_run`, the answer is whether it could be redeemed, and the code stays usable: for the page that a link opens, which scanners of mail and chats ask for too. 404 for an unknown code; 410 once it is redeemed, revoked or past its end.',
  access: { audit: 'portal_link.redeem', idempotencyKey: 'ignored' },
  body: t.closedObject({ code: t.textOf({ maxLength: 200 }) }, { dry_run: t.flag }),
  example: { code: 'a code of POST /v1/portal-links', dry_run: true },
  answers: {
    200: answer(redeemedPortalLink, 'The link; without `dry_run`, with its session and token'),
  },
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
});

export const listPortalLinks = operation('GET', '/v1/portal-links', {
  summary: 'List portal links that are not revoked, oldest first; until 30 days after their end',
  access: { scope: 'admin' },
  query: pageQuery,
  answers: { 200: page(portalLink, 'Portal links that are not revoked') },
});

export const getPortalLink = operation('GET', '/v1/portal-links/:id', {
  summary: 'Read a portal link, whether it is redeemed or not',
  access: { scope: 'admin' },
  answers: { 200: answer(portalLink, 'The portal link') },
  errors: ['gone'],
});

export const deletePortalLink = operation('DELETE', '/v1/portal-links/:id', {
  summary: 'Revoke a portal link, and end its session; this takes effect within seconds',
  access: { scope: 'admin', audit: 'portal_link.revoke' },
  answers: { 204: { is: 'The portal link is revoked' } },
  errors: ['gone'],
});

export const portalLinks = resource({
  tag: 'Portal links',
  description:
    'Links that sign a customer in to the portal: each is redeemed once for a session without scopes, which may do what its capabilities say and nothing else. `view`: see endpoints, events, deliveries, replays and event types; `replay`: send again; `endpoints`: create and change endpoints; `secrets`: rotate their secrets.',
  components: [portalLink, newPortalLink, redeemedPortalLink],
  operations: { createPortalLink, redeemPortalLink, listPortalLinks, getPortalLink, deletePortalLink },
});
