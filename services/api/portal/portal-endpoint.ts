import { type EndpointSettings, type goesWithHost, settingsForHost } from '#lib/contract';
import type { FieldErrors } from '../http/send-problem.ts';

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
