import type { Access, Session } from '#lib/api-contract';

/** A customer's session got this from its link: the column `portal`. */
export type Portal = NonNullable<Session['portal']>;

/** Why a portal session may not; undefined if it may. */
export function missingCapability(portal: Portal, needed: Access['capability']): string | undefined {
  if (needed === undefined) return 'Portal sessions may not do this';
  if (needed === 'any' || portal.capabilities.includes(needed)) return undefined;
  return `The portal session does not have the capability ${needed}`;
}
