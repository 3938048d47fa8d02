import type { RouteScope, Scope } from '#lib/api-contract';
import type { Caller } from './identify-caller.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Default: `read` for GET, `write` for all other methods. */
    scope?: RouteScope;
    /** With `dry_run: true` in the body, this scope is enough. */
    dryRunScope?: Scope;
    /** A session may do it to itself, with any scope. */
    orSessionItself?: boolean;
    /** The end of a sentence on what a session may not do: only the key itself may. */
    notBySession?: string;
    /** The operator may name `*` as the tenant. */
    ofAllTenants?: boolean;
  }
}

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
