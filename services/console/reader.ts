import type { Capability, Scope, Session as ApiSession } from '#lib/api-contract';

/** The reader who is signed in, as the API knows the session. */
export interface Session extends Pick<ApiSession, 'id' | 'scopes'> {
  token: string;
  /** Undefined: the operator’s session, for all tenants. */
  tenant: string | undefined;
  /** The part of a customer's session that its link gave; undefined: not a customer's. */
  portal: NonNullable<ApiSession['portal']> | undefined;
}

/** In the place of a tenant: all. */
export const allTenants = '*';

/** The tenant of requests and commands that name none. */
export const usualTenant = 'default';

export const tenantPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const hasScope = ({ tenant, scopes }: Session, needed: Scope | 'operator' | 'any'): boolean => {
  if (needed === 'any') return true;
  if (needed === 'operator') return tenant === undefined && scopes.includes('admin');
  return scopes.includes(needed) || scopes.includes('admin');
};

/** Whether a session may do what needs the scope, or of a customer the capability. Undefined: no customer may. */
export const may = (session: Session, scope: Scope | 'operator', capability: Capability | undefined): boolean =>
  session.portal === undefined
    ? hasScope(session, scope)
    : capability !== undefined && session.portal.capabilities.includes(capability);
