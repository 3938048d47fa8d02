/**
 * Scopes of a key. Only `admin` includes other scopes:
 *
 * | scope     | allows                                                             |
 * |-----------|--------------------------------------------------------------------|
 * | `read`    | every GET except those of keys                                     |
 * | `write`   | every POST, PATCH and DELETE except those below                    |
 * | `publish` | POST /v1/events, for programs that only send events                |
 * | `admin`   | everything in the tenant of the key, its keys included             |
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
