import type { ChangedEndpoint } from '#lib/api-contract';
import { type EndpointSettings, type goesWithHost, settingsForHost } from '#lib/contract';
import { mergePatch } from '../http/patch-body.ts';
import type { FieldErrors } from '../http/send-problem.ts';
import { mergeHeaders } from './private-settings.ts';
import type { EndpointRow } from './queries.ts';

/** The client's form of an endpoint's settings. */
export type GivenEndpoint = Omit<ChangedEndpoint, 'expires_in'>;

/** The body that would create the endpoint, its secrets masked as they are shown. */
export function givenOf({ filter, settings, ...row }: EndpointRow): GivenEndpoint {
  const { url, description, event_types, source_ids } = row;
  return { url, description, event_types, source_ids, ...(filter !== null && { filter }), ...settings };
}

/**
 * A filter is replaced as a whole: merging two would give a third that nobody wrote, and `null` has a meaning in it. So is a certificate
 * with its key.
 */
export function mergeEndpoint(before: GivenEndpoint, patch: Readonly<Record<string, unknown>>): unknown {
  const { headers } = patch;
  const whole = Object.entries(patch).filter(([name, value]) => wholes.includes(name) && value !== null);
  return {
    ...(mergePatch(before, patch) as object),
    ...Object.fromEntries(whole),
    ...(headers !== undefined && headers !== null && { headers: mergeHeaders(before.headers ?? {}, headers) }),
  };
}

const wholes = ['filter', 'client_certificate'];

/** The fields of an endpoint that a customer sets; all others are the operator's. */
const portalFields = ['url', 'event_types', 'filter', 'description'];

/** The fields of a body that a portal session may not set. */
export const errorsBeyondPortal = (body: object): FieldErrors =>
  Object.keys(body)
    .filter((name) => !portalFields.includes(name))
    .map((name) => ({ field: `/${name}`, message: 'can’t be set in the portal' }));

/** Why a portal session may not change the URL: a customer must not send to another host what the operator set for one. */
export function errorsOfMove(settings: EndpointSettings): FieldErrors {
  const along = settingsForHost(settings);
  if (along.length === 0) return [];
  return [{ field: '/url', message: `can’t be changed in the portal: ${listed(along)} would go with it` }];
}

const names = {
  headers: 'headers',
  pass_headers: 'passed headers',
  proxy: 'a proxy',
  client_certificate: 'a certificate',
} as const satisfies Record<keyof typeof goesWithHost, string>;

const listed = (along: readonly (keyof typeof goesWithHost)[]): string =>
  new Intl.ListFormat('en').format(along.map((name) => names[name]));
