/** Locks of one tenant's rows that others hold for seconds: a session that is left open, a bulk change, a process that stands still. */
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import type { FaultKind, FaultWorld } from '../fault-kind.ts';

const holdMs = { least: 6_000, most: 9_000 };
/** Until a request at the API waits for the clock. */
const untilWaitingMs = 1_000;

const clock = ['SELECT FROM tenant_clocks WHERE tenant = $1 FOR UPDATE'];
const rows = ['events', 'deliveries', 'waiting', 'stats'].map(
  (table) => `SELECT FROM ${table} WHERE tenant = $1 FOR UPDATE`,
);

/** Resolves when the locks are given back. They are, whatever else happens to Postgres. */
async function whileLocked(
  { servers, bystanders }: FaultWorld,
  locks: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  const session = createPostgres({
    url: servers.addresses.databaseUrl,
    applicationName: 'locks',
    maxConnections: 1,
    log: silentLogger,
    statementTimeoutMs: 30_000,
  });
  try {
    await session.transaction(async (tx) => {
      for (const text of locks) await tx.query(text, [bystanders.lockedTenant]);
      const over = new AbortController();
      // Settled together: a session that dies while the work goes on is nobody's unhandled rejection.
      await Promise.allSettled([keepOpen(() => tx.query('SELECT 1'), over.signal), work().finally(() => over.abort())]);
    });
  } catch {
    // Postgres has died or hangs, by another fault.
  } finally {
    await session.start().catch(() => undefined);
    await session.stop();
  }
}

/** The server would end a transaction that is idle. */
async function keepOpen(ask: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await ask();
    await delay(1_000, undefined, { signal }).catch(() => undefined);
  }
}

const heldFor = ({ random }: FaultWorld): number => holdMs.least + random() * (holdMs.most - holdMs.least);

async function lock(world: FaultWorld, name: string, locks: readonly string[]): Promise<void> {
  const { bystanders, during } = world;
  if (!(await bystanders.prepare())) return;
  await during(name, () => whileLocked(world, locks, () => bystanders.watch(name, heldFor(world))));
}

export const lockFaults: readonly FaultKind[] = [
  {
    name: 'clock-held',
    says: 'a session holds the clock of one tenant, which gets webhooks, for 6 to 9 s',
    track: 'locks',
    inflict: (world) => lock(world, 'clock-held', clock),
  },
  {
    name: 'rows-locked',
    says: 'a session has locked all events, deliveries, waiting rows and statistics of one tenant, which gets webhooks, for 6 to 9 s',
    track: 'locks',
    inflict: (world) => lock(world, 'rows-locked', rows),
  },
  {
    name: 'api-frozen-in-transaction',
    says: 'SIGSTOP of an api that has just got the clock of one tenant, which gets webhooks, for 6 to 9 s: Postgres ends its transaction after 5 s',
    track: 'locks',
    async inflict(world) {
      const { bystanders, pipeline, during } = world;
      if (!(await bystanders.prepare())) return;
      let erasing: Promise<void> | undefined;
      const frozen = Promise.withResolvers<void>();
      let freezing: Promise<void> | undefined;
      await during('api-frozen-in-transaction', async () => {
        await whileLocked(world, clock, async () => {
          erasing = bystanders.erase();
          await delay(untilWaitingMs);
          freezing = pipeline.freezeService('api', async () => {
            frozen.resolve();
            await bystanders.watch('api-frozen-in-transaction', heldFor(world));
          });
          // Then the lock is given back, to a process that stands still.
          await Promise.race([frozen.promise, freezing]);
        });
        await freezing;
        await erasing;
      });
    },
  },
];
