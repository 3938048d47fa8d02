import { portalType, portalTypes, portalTypeVersion } from './event-types.ts';
import { leavePortal } from './leave.ts';
import { portalLink } from './link.ts';
import { portalStart } from './start.ts';
import { portalVerify } from './verify.ts';

/** The pages that the portal alone has. Its other pages are those of a tenant that name a capability. */
export const portalOwnPages = [
  portalLink,
  leavePortal,
  portalStart,
  portalTypes,
  portalType,
  portalTypeVersion,
  portalVerify,
];
