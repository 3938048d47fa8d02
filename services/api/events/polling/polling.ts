import { changesChannel } from '#lib/event-store';
import { createListener, type PostgresAccess } from '#lib/postgres';
import type { Part } from '#lib/runtime';
import type { EncryptionKey } from '#lib/secret-box';
import type { TenantUsage } from '#lib/tenancy';
import type { RouteDeps } from '../../route.ts';
import { type AwaitedTenants, createAwaitedTenants } from './announce-awaited.ts';
import { createCursors, type Cursors } from './cursor.ts';
import { createHeldPolls, type HeldPolls } from './held-polls.ts';
import { createNewEventsReader } from './read-new-events.ts';

/** Dependencies of the list of events, beyond those of other lists. */
export interface Polling {
  cursors: Cursors;
  held: HeldPolls;
  /** Requests that wait for changes, those that are held among them. */
  awaited: AwaitedTenants;
  /** Seconds that a polling client should wait before it asks again. */
  intervalSeconds: number;
  /** Settings of how many requests are held: of a key and tenant, and in this process. */
  most: { ofCredential: number; ofProcess: number };
}

interface Options extends Pick<RouteDeps, 'postgres' | 'limits' | 'closing' | 'clock' | 'log' | 'metrics'> {
  database: PostgresAccess;
  applicationName: string;
  encryptionKeys: readonly EncryptionKey[];
  intervalSeconds: number;
  maxHeldPerCredential: number;
  maxHeld: number;
  usage: Pick<TenantUsage, 'showShare'>;
}

/** With the one connection of the process that hears of changes, however many wait for them. */
export function createPolling(options: Options): { polling: Polling; listener: Part } {
  const { postgres, clock, log, metrics, closing } = options;
  const awaited = createAwaitedTenants({ postgres, clock, log, closing });
  const held = createHeldPolls({
    readNewEvents: createNewEventsReader(postgres),
    awaited,
    clock,
    log,
    metrics,
    closing,
    maxPerCredential: options.maxHeldPerCredential,
    maxOfTenant: (tenant) => options.limits.of(tenant, 'long_polls'),
    max: options.maxHeld,
  });
  options.usage.showShare('held_polls', held.usage);
  const listener = createListener({
    ...options.database,
    applicationName: options.applicationName,
    channel: changesChannel,
    clock,
    log,
    onListening: held.wakeAll,
    onNotification: held.wake,
  });
  const cursors = createCursors(options.encryptionKeys);
  const most = { ofCredential: options.maxHeldPerCredential, ofProcess: options.maxHeld };
  return { polling: { cursors, held, awaited, intervalSeconds: options.intervalSeconds, most }, listener };
}
