/**
 * The promise of `updated_at`: who asks again with the exact last one it has seen, sees every event that has changed since, in that state
 * or a later one, however many write at once. Each test also runs a defective variant of the clock, and has to notice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { takeClocks } from '#lib/event-store';
import type { Postgres } from '#lib/postgres';
import { isAppError } from '#lib/runtime';
import { readEvents } from '../../../services/api/events/index.ts';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { guardingStatements, writeBatch } from '../../../services/projector/write-batch.ts';
import { eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, partitionOf } from './projection.ts';

type ClockStatement = typeof takeClocks;

const writers = 4;
const eventsPerWriter = 6;
const pageSize = 20;
const betweenPollsMs = 2;

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase(writers + 2);
});
afterAll(() => closePostgres(postgres));

/** Projects slowly while it holds its locks: the wider the window, the more surely a race is met. */
async function projectSlowly(facts: readonly Fact[], clock: ClockStatement, holdMs: number): Promise<void> {
  await postgres.transaction(async (tx) => {
    await writeBatch(tx, toBatchRows(facts, partitionOf), { ...guardingStatements, takeClocks: clock });
    await tx.query('SELECT pg_sleep($1)', [holdMs / 1000]);
  });
}

/** Random, but the same each time. */
const randomMs = fc.sample(fc.integer({ min: 0, max: 5 }), { seed: 42, numRuns: 1_000 });

/** @returns the events whose last state the poller has not seen, and the transactions that failed */
async function pollWhileWriting(tenant: string, clock: ClockStatement): Promise<{ missed: string[]; failed: number }> {
  let failed = 0;
  let turn = 0;
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; n < eventsPerWriter; n += 1) {
      const event = { tenant, eventId: `evt-${writer}-${n}` };
      for (const fact of [
        eventFact(event),
        fanOutFact(event, ['ep_a']),
        outcomeFact(event, 'ep_a', 1, 'retrying'),
        outcomeFact(event, 'ep_a', 2, 'delivered'),
      ]) {
        // Without its clock, a variant may even give two events one instant.
        await projectSlowly([fact], clock, randomMs[(turn += 1) % randomMs.length] ?? 0).catch(() => (failed += 1));
      }
    }
  };

  const seen = new Map<string, string>();
  let last: string | undefined;
  const poll = async (): Promise<boolean> => {
    const since = last === undefined ? {} : { updated_at_gte: last };
    const { events: page } = await readEvents(postgres, tenant, since, pageSize);
    for (const { id, updated_at } of page) seen.set(id, updated_at);
    last = page.at(-1)?.updated_at ?? last;
    return page.length === pageSize;
  };

  let writing = true;
  const written = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).finally(
    () => (writing = false),
  );
  while (writing) {
    await poll();
    await delay(betweenPollsMs);
  }
  await written;
  while (await poll());
  const rows = await postgres.query<{ id: string; updated_at: string }>(
    'SELECT id, updated_at FROM events WHERE tenant = $1',
    [tenant],
  );
  return { missed: rows.filter(({ id, updated_at }) => seen.get(id) !== updated_at).map(({ id }) => id), failed };
}

const withoutTheRowLock: ClockStatement = {
  ...takeClocks,
  name: 'take-clocks-without-the-row-lock',
  text: `SELECT tenant, clock_timestamp() + (n - 1) * interval '1 microsecond' AS last_at
           FROM unnest($1::text[], $2::int[]) AS wanted (tenant, n)`,
};

test(`a poller misses nothing that ${writers} projectors write`, async () => {
  expect(await pollWhileWriting('polled', takeClocks)).toEqual({ missed: [], failed: 0 });
});

test('the same poller misses events where updated_at is the time alone', async () => {
  let wrong = 0;
  for (let round = 0; round < 10 && wrong === 0; round += 1) {
    const { missed, failed } = await pollWhileWriting(`missed-${round}`, withoutTheRowLock);
    wrong = missed.length + failed;
  }
  expect(wrong).toBeGreaterThan(0);
});

/** @returns whether Postgres had to end a transaction because two waited for each other; nothing more is written then */
async function deadlockAmong(clock: ClockStatement, prefix: string): Promise<boolean> {
  const tenants = ['a', 'b', 'c', 'd'].map((name) => `${prefix}-${name}`);
  let deadlock = false;
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; n < 8 && !deadlock; n += 1) {
      const facts = tenants.map((tenant) => eventFact({ tenant, eventId: `evt-${writer}-${n}` }));
      const shuffled = fc.sample(fc.shuffledSubarray(facts, { minLength: facts.length }), {
        seed: writer * 100 + n,
        numRuns: 1,
      });
      await projectSlowly(shuffled[0] ?? [], clock, 3).catch((error: unknown) => {
        if (!isAppError(error, 'store_unavailable') || !error.message.includes('40P01')) throw error;
        deadlock = true;
      });
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return deadlock;
}

test('projectors with many tenants in common never wait for each other in a circle', async () => {
  // Each row's lock is held for a while before the next one is asked for.
  const slow: ClockStatement = {
    ...takeClocks,
    name: 'take-clocks-slowly',
    text: takeClocks.text.replace(
      'greatest(',
      "(SELECT interval '0' FROM pg_sleep(0.003 + 0 * length(clock.tenant))) + greatest(",
    ),
  };
  const unsorted = {
    ...slow,
    name: 'take-clocks-in-any-order',
    text: slow.text.replace('ORDER BY tenant', 'ORDER BY random()'),
  };
  expect(await deadlockAmong(slow, 'sorted')).toBe(false);
  expect(await deadlockAmong(unsorted, 'unsorted')).toBe(true);
});

test('instants go on from the last one where the clock of the machine has been set back', async () => {
  const tenant = 'set-back';
  const event = { tenant, eventId: 'evt-1' };
  await projectSlowly([eventFact(event)], takeClocks, 0);
  const ahead = '2200-01-01T00:00:00.000000Z';
  await postgres.query('UPDATE tenant_clocks SET last_at = $2 WHERE tenant = $1', [tenant, ahead]);
  await projectSlowly([fanOutFact(event, []), eventFact({ tenant, eventId: 'evt-2' })], takeClocks, 0);
  const rows = await postgres.query('SELECT updated_at FROM events WHERE tenant = $1 ORDER BY id', [tenant]);
  expect(rows).toEqual([{ updated_at: '2200-01-01T00:00:00.000001Z' }, { updated_at: '2200-01-01T00:00:00.000002Z' }]);
});
