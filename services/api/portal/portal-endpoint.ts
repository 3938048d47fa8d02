import type { EndpointSettings } from '#lib/contract';
import type { FieldErrors } from '../http/send-problem.ts';

/** The fields of an endpoint that a customer sets; all others are the operator's. */
const portalFields = ['url', 'event_types', 'filter', 'description'];

/** The fields of a body that a portal session may not set. */
export const errorsBeyondPortal = (body: object): FieldErrors =>
  Object.keys(body)
    .filter((name) => !portalFields.includes(name))
    .map((name) => ({ field: `/${name}`, message: 'can’t be set in the portal' }));

/**
 * Why a portal session may not change the URL: what the operator set for one host, a customer must not send to another; and through a proxy,
 * it is the proxy that decides on the address.
 */
export function errorsOfMove({ headers = {}, proxy, client_certificate: certificate }: EndpointSettings): FieldErrors {
  const isPlain = Object.keys(headers).length === 0 && proxy === undefined && certificate === undefined;
  if (isPlain) return [];
  return [{ field: '/url', message: 'can’t be changed in the portal: headers, a proxy or a certificate go with it' }];
}
