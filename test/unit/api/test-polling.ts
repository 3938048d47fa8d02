import { silentLogger } from '#lib/runtime';
import { parseEncryptionKeys } from '#lib/secret-box';
import type { AppDeps } from '../../../services/api/app.ts';
import type { AwaitedTenants } from '../../../services/api/events/polling/announce-awaited.ts';
import { createCursors } from '../../../services/api/events/polling/cursor.ts';
import { createHeldPolls } from '../../../services/api/events/polling/held-polls.ts';
import type { Polling } from '../../../services/api/events/polling/polling.ts';
import { createNewEventsReader } from '../../../services/api/events/polling/read-new-events.ts';

export const testCursors = createCursors(parseEncryptionKeys([`test:${Buffer.alloc(32, 7).toString('base64')}`]));

const nobodyTold: AwaitedTenants = { begin: () => undefined, end: () => undefined };

/** Polling without the connection that hears of changes: a test wakes who waits. */
export const testPolling = (
  deps: Pick<AppDeps, 'postgres' | 'clock' | 'closing' | 'metrics'>,
  { max = 100, maxPerCredential = 10 } = {},
): Polling => ({
  cursors: testCursors,
  held: createHeldPolls({
    ...deps,
    readNewEvents: createNewEventsReader(deps.postgres),
    awaited: nobodyTold,
    log: silentLogger,
    max,
    maxPerCredential,
    maxOfTenant: () => max,
  }),
  awaited: nobodyTold,
  intervalSeconds: 5,
  most: { ofCredential: maxPerCredential, ofProcess: max },
});
