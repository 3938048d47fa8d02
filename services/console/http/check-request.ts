/**
 * The checks of every request to a page that exists, in this order, so that no handler can forget one: the origin of a form 403 → session 401
 * → tenant 404 → scope, or capability of a customer, 403 → parameters 400. Of a page of the catalog, to which links lead from anywhere, nothing but its path. Before it come unknown paths (404) and methods (405), after it the handler.
 */
import type { FastifyRequest } from 'fastify';
import { type PageResult, problem } from '../page-result.ts';
import type { Face, Page } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import type { FoundSession } from '../session/find-session.ts';
import { hasScope, type Scope, tenantPattern } from '../session/session.ts';
import { queryOf } from './request-state.ts';
import { isSameOrigin } from './same-origin.ts';

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
  if (isForm && !isSameOrigin(request.headers, { protocol: request.protocol, host: request.host, origin: deps.origin }))
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

/** Parameters with names of event types, which may have slashes: their pages judge them (catalog/addresses.ts). */
const namesOfTypes: ReadonlySet<string> = new Set(['type', 'prefix', 'name']);

/** Dots would be resolved on the way to the API, and no id has a slash or a control character. */
const leadsElsewhere = (param: string): boolean => param === '.' || param === '..' || /[/\\\p{Cc}]/u.test(param);
