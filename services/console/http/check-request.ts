import type { FastifyRequest } from 'fastify';
import type { Scope } from '#lib/api-contract';
import { clientOf } from '#lib/net';
import { createLocalShare, type LocalShare, type Rate } from '#lib/rate-limit';
import type { Clock } from '#lib/runtime';
import { type PageResult, problem } from '../page-result.ts';
import type { Face, Page } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { hasScope, tenantPattern } from '../reader.ts';
import type { FoundSession } from '../session/index.ts';
import { queryOf } from './request-state.ts';

/**
 * Whether a request that may change something comes from our own pages. Browsers say so themselves in `Sec-Fetch-Site`, which no script can
 * set; where it is absent, as over plain http, in `Origin`, whose scheme counts too: a page over plain http may be anybody's. The public
 * origin says which scheme its host has. A request with neither header is refused: it comes from no form of ours.
 *
 * @param ownOrigin the public origin, if it is set
 */
function isSameOrigin({ headers, protocol, host }: FastifyRequest, ownOrigin: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (ownOrigin !== undefined && new URL(ownOrigin).host === new URL(origin).host) return origin === ownOrigin;
  return origin === URL.parse(`${protocol}://${host}`)?.origin;
}

/** Above it, the address that was not heard of longest is forgotten. */
const maxAddresses = 10_000;

/** Requests of each client, in this process: an address, IPv6 by its /64. @returns 0, or the seconds until the address may ask again */
export function createAddressLimit(rate: Rate, clock: Clock): (address: string) => number {
  const shares = new Map<string, LocalShare>();
  return (ip) => {
    const address = clientOf(ip);
    const nowMs = clock.monotonicMs();
    const share = shares.get(address) ?? createLocalShare(rate, 1, rate.burst, nowMs);
    // Put last: the order of the map is that of the last requests.
    shares.delete(address);
    shares.set(address, share);
    const [oldest] = shares.keys();
    if (oldest !== undefined && shares.size > maxAddresses) shares.delete(oldest);
    return Math.ceil(share.take(nowMs) / 1_000);
  };
}

/**
 * The checks of every request to a page that exists, in this order, so that no handler can forget one: the origin of a form 403 → session 401
 * → tenant 404 → scope, or capability of a customer, 403 → parameters 400. Of a page of the catalog, to which links lead from anywhere, nothing but its path. Before it come unknown paths (404) and methods (405), after it the handler.
 */

export interface CheckDeps {
  findSession(request: FastifyRequest, face: Face): Promise<FoundSession>;
  /** The public origin, if it is set. */
  origin: string | undefined;
}

/** @returns why the request goes no further; undefined: its handler may have it */
export async function checkRequest(
  page: Page,
  request: FastifyRequest,
  deps: CheckDeps,
): Promise<PageResult | undefined> {
  const params = request.params as Readonly<Record<string, string>>;
  if (Object.entries(params).some(([name, value]) => !namesOfTypes.has(name) && leadsElsewhere(value)))
    return problem(404);
  const isForm = request.method === 'POST';
  if (isForm && !isSameOrigin(request, deps.origin))
    return problem(403, { explanation: 'This form was not sent by a page of this console, so nothing was done.' });
  const handler = page.handlers[isForm ? 'POST' : 'GET'];
  if (handler === undefined) return problem(404);

  if (page.access === 'catalog') return undefined;
  if (page.access !== 'public') {
    const found = await deps.findSession(request, page.face);
    if (found.kind === 'none') return { kind: 'sign_in' };
    if (found.kind === 'failed') return problemOfFailure(found.failure);
    const { session } = found;
    const { tenant } = params;
    if (page.access === 'tenant') {
      const isOwn = session.tenant === undefined || session.tenant === tenant;
      if (tenant === undefined || !isOwn || !tenantPattern.test(tenant)) return problem(404);
      request.state.tenant = tenant;
    }
    if (page.access === 'portal') {
      request.state.tenant = session.tenant;
      const granted: readonly unknown[] = session.portal?.capabilities ?? [];
      // A page that names no capability is nobody's.
      if (!granted.includes(handler.capability)) return problem(403);
    } else {
      const needed = page.access === 'operator' ? 'operator' : handler.scope;
      if (!hasScope(session, needed)) return problem(403, { explanation: whyNot(needed) });
    }
  }

  const unknown = [...queryOf(request).keys()].find((name) => !handler.query.includes(name));
  return unknown === undefined
    ? undefined
    : problem(400, { errors: [{ field: unknown, message: 'is not a parameter of this page' }] });
}

const whyNot = (scope: Scope | 'operator' | 'any'): string =>
  scope === 'operator'
    ? 'This page needs the scope operator: only a session of the operator’s key has it.'
    : `This session does not have the scope ${scope}.`;

/** Parameters with names of event types, which may have slashes: their pages validate them (ui/type-links.ts). */
const namesOfTypes: ReadonlySet<string> = new Set(['type', 'prefix', 'name']);

/** Dots would be resolved on the way to the API, and no id has a slash or a control character. */
const leadsElsewhere = (param: string): boolean => param === '.' || param === '..' || /[/\\\p{Cc}]/u.test(param);
