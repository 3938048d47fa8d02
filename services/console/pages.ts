/** All pages. A room each: a page is added to the list of its room. */
import { keyPages, sessionPages } from './access/index.ts';
import { auditPages } from './audit/index.ts';
import { catalogPages } from './catalog/index.ts';
import { comparePages } from './compare/index.ts';
import { deadLetterPages } from './dead-letters/index.ts';
import { deliveryPages } from './deliveries/index.ts';
import { endpointPages } from './endpoints/index.ts';
import { eventPages, livePages } from './events/index.ts';
import { jumpPages } from './jump/index.ts';
import { overviewPages } from './overview/index.ts';
import { type Face, inPortal, type Page } from './page.ts';
import { portalOwnPages } from './portal/index.ts';
import { replayPages } from './replays/index.ts';
import { signInPages } from './session/index.ts';
import { sourcePages } from './sources/index.ts';
import { startPages, theme } from './start/index.ts';
import { systemPages } from './system/index.ts';
import { tenantPages } from './tenants/index.ts';

/** The pages of the console. */
export const pages: readonly Page[] = [
  ...startPages,
  ...signInPages,
  ...overviewPages,
  ...eventPages,
  ...comparePages,
  ...deliveryPages,
  ...endpointPages,
  ...sourcePages,
  ...deadLetterPages,
  ...replayPages,
  ...keyPages,
  ...sessionPages,
  ...auditPages,
  ...jumpPages,
  ...livePages,
  ...tenantPages,
  ...systemPages,
];

/** The pages of the portal: its own, and the console's that name a capability. */
export const portalPages: readonly Page[] = [...portalOwnPages, ...pages.flatMap(inPortal)];

/** The pages that a process shows. */
export const pagesOf = (faces: readonly Face[]): readonly Page[] => [
  ...(faces.includes('console') ? pages : [theme]),
  ...(faces.includes('catalog') ? catalogPages : []),
  ...(faces.includes('portal') ? portalPages : []),
];
