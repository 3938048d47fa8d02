import type { Access, RouteScope, Scope } from '#lib/api-contract';
import type { Caller } from './identify-caller.ts';
import type { Portal } from './session-directory.ts';

interface Scoped {
  method: string;
  config: { scope?: RouteScope | undefined };
}

/** The scope that a route needs. */
export const scopeOf = ({ method, config }: Scoped): RouteScope =>
  config.scope ?? (method === 'GET' || method === 'HEAD' ? 'read' : 'write');

export const hasScope = (granted: readonly Scope[], needed: Scope): boolean =>
  granted.includes(needed) || granted.includes('admin');

/** Why the caller may not; undefined if it may. */
export function missingScope(caller: Caller, needed: RouteScope): string | undefined {
  const whose = caller.type === 'session' ? 'session' : 'key';
  if (needed === 'any') return undefined;
  if (needed !== 'operator')
    return hasScope(caller.scopes, needed) ? undefined : `The ${whose} does not have the scope ${needed}`;
  const isOperator = caller.tenant === undefined && hasScope(caller.scopes, 'admin');
  return isOperator ? undefined : `The ${whose} does not have the scope operator: only the operator’s key has it`;
}

/** The same of a portal session, by its capabilities. */
export function missingCapability(portal: Portal, needed: Access['capability']): string | undefined {
  if (needed === undefined) return 'Portal sessions may not do this';
  if (needed === 'any' || portal.capabilities.includes(needed)) return undefined;
  return `The portal session does not have the capability ${needed}`;
}
