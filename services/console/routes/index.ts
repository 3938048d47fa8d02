/** All pages. A folder each: a page is added to the list of its folder. */
import type { Page } from '../page.ts';
import { auditPages } from './audit/index.ts';
import { comparePages } from './compare/index.ts';
import { deadLetterPages } from './dead-letters/index.ts';
import { deliveryPages } from './deliveries/index.ts';
import { endpointPages } from './endpoints/index.ts';
import { eventPages } from './events/index.ts';
import { jumpPages } from './jump/index.ts';
import { keyPages } from './keys/index.ts';
import { livePages } from './live/index.ts';
import { operatorPages } from './operator/index.ts';
import { overviewPages } from './overview/index.ts';
import { replayPages } from './replays/index.ts';
import { signInPages } from './session/index.ts';
import { sessionPages } from './sessions/index.ts';
import { sourcePages } from './sources/index.ts';
import { startPages } from './start/index.ts';

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
  ...operatorPages,
];
