/** Scopes of a key. Only `admin` includes other scopes. */
export const scopes = ['read', 'write', 'publish', 'admin'] as const;

export type Scope = (typeof scopes)[number];

/**
 * An operation asks of its caller:
 *
 * | `any`      | a credential, whatever its scopes                                  |
 * | `operator` | a key of the operator, or a session of it for all tenants with `admin` |
 */
export type RouteScope = Scope | 'any' | 'operator';

/** Things that a customer may do in the portal. Portal sessions have no scopes: an operation is open to them only if it names a capability. */
export const capabilities = ['view', 'replay', 'endpoints', 'secrets'] as const;

export type Capability = (typeof capabilities)[number];
