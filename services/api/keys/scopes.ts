/**
 * Scopes of a key. No scope includes another, but `admin`, which includes all of them:
 *
 * | scope     | allows                                                             |
 * |-----------|--------------------------------------------------------------------|
 * | `read`    | every GET but those of keys                                        |
 * | `write`   | every POST, PATCH and DELETE but those below                       |
 * | `publish` | POST /v1/events, for programs that do nothing but send events      |
 * | `admin`   | everything in the key's tenant, its keys included                  |
 */
export const scopes = ['read', 'write', 'publish', 'admin'] as const;

export type Scope = (typeof scopes)[number];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a key needs. Default: `read` for GET, `write` for all other methods. */
    scope?: Scope;
  }
}

export const hasScope = (granted: readonly Scope[], needed: Scope): boolean =>
  granted.includes(needed) || granted.includes('admin');

export const usualScope = (method: string): Scope => (method === 'GET' || method === 'HEAD' ? 'read' : 'write');
