export type Scope = 'read' | 'write' | 'publish' | 'admin';

/** Who is signed in, as the API knows the session. */
export interface Session {
  id: string;
  token: string;
  /** Undefined: the operator’s session, for all tenants. */
  tenant: string | undefined;
  scopes: readonly Scope[];
  /** RFC 3339. */
  expiresAt: string;
}

/** In the place of a tenant: all. */
export const allTenants = '*';

export const tenantPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const hasScope = ({ tenant, scopes }: Session, needed: Scope | 'operator' | 'any'): boolean => {
  if (needed === 'any') return true;
  if (needed === 'operator') return tenant === undefined && scopes.includes('admin');
  return scopes.includes(needed) || scopes.includes('admin');
};
