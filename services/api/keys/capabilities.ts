import type { Capability } from '#lib/api-contract';

/** A customer's session got this from its link. */
export interface KnownPortal {
  linkId: string;
  capabilities: readonly Capability[];
  returnUrl: string | null;
  /** `#rrggbb` */
  accent: string | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A portal session needs it for the route; `any`: no capability. Absent: closed to portal sessions. */
    capability?: Capability | 'any';
  }
}

/** Why a portal session may not; undefined if it may. */
export function missingCapability(portal: KnownPortal, needed: Capability | 'any' | undefined): string | undefined {
  if (needed === undefined) return 'Portal sessions may not do this';
  if (needed === 'any' || portal.capabilities.includes(needed)) return undefined;
  return `The portal session does not have the capability ${needed}`;
}
