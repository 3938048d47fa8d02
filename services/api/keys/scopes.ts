import type { RouteScope, Scope } from '#lib/api-contract';
import type { Caller } from './identify-caller.ts';

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
