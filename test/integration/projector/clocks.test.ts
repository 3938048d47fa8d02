/**
 * Two projectors, or a projector and another holder of clocks: nobody waits without need, and a waiter sees what the previous holder has
 * written.
 */
import { run, takeClocks } from '#lib/event-store';
import type { Postgres, Query } from '#lib/postgres';
import { noCrashPoints, systemClock } from '#lib/runtime';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import { type Fact, rowsOf, tenantOf } from '../../../services/projector/facts.ts';
import { createGroupCommit, type Store, type Write } from '../../../services/projector/group-commit.ts';
import { createStore } from '../../../services/projector/store.ts';
import { guardingStatements as intact, writeBatch } from '../../../services/projector/write-batch.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, partitionOf, project, projectedRows } from './projection.ts';

let postgres: Postgres;
let store: Store<Fact>;
beforeAll(async () => {
  postgres = await openDatabase(12);
  store = newStore();
});
afterAll(() => closePostgres(postgres));

const newStore = (): Store<Fact> =>
  createStore({ postgres, ahead: postgres, partitionOf, clock: systemClock, crashPoints: noCrashPoints });
const received = (tenant: string, eventId = 'evt', at = Date.now() * 1_000): Fact =>
  eventFact({ tenant, eventId }, { received_at: at });

/** Does the work while another transaction has written this, and holds its clocks. */
async function whileHeld(facts: readonly Fact[], work: () => Promise<void>): Promise<void> {
  await postgres.transaction(async (tx) => {
    await writeBatch(tx, toBatchRows(facts, partitionOf));
    await work();
  });
}

const idsOf = async (tenant: string): Promise<string[]> =>
  (await postgres.query<{ id: string }>('SELECT id FROM events WHERE tenant = $1 ORDER BY id', [tenant])).map(
    ({ id }) => id,
  );

const someoneWaits = (query: Query): Promise<true> =>
  waitUntil(
    'someone waits for a lock',
    async () => {
      // Within a transaction pg_stat_activity would stay as it was first read.
      await query.query('SELECT pg_stat_clear_snapshot()');
      const waiting = await query.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    },
    { everyMs: 5 },
  );

test('tenants whose clocks are free are written, and nobody waits for the others', async () => {
  await project(
    postgres,
    ['free-a', 'held', 'free-b'].map((tenant) => received(tenant, 'first')),
  );
  await whileHeld([received('held', 'of another')], async () => {
    const written = await store.commitFree(['free-b', 'held', 'free-a'].map((tenant) => received(tenant)));
    expect([...written].sort()).toEqual(['free-a', 'free-b']);
    expect(await idsOf('free-a')).toEqual(['evt', 'first']);
    expect(await idsOf('held')).toEqual(['first']);
  });
  await store.commitWaiting([received('held')]);
  expect(await idsOf('held')).toEqual(['evt', 'first', 'of another']);
});

test('two projectors with tenants in common, some of them held by others, wait neither for those nor for each other', async () => {
  await project(
    postgres,
    ['left', 'right', 'both'].map((tenant) => received(tenant, 'first')),
  );
  await whileHeld([received('left')], async () => {
    await whileHeld([received('right')], async () => {
      const crossed = await Promise.all([
        store.commitFree(['left', 'right', 'both'].map((tenant) => received(tenant, 'one'))),
        store.commitFree(['both', 'right', 'left'].map((tenant) => received(tenant, 'other'))),
      ]);
      // The free one goes to the first waiter.
      expect(crossed.map((taken) => taken.has('left') || taken.has('right'))).toEqual([false, false]);
      expect(crossed.filter((taken) => taken.has('both')).length).toBeGreaterThan(0);
    });
  });
});

test('a tenant without a clock gets one from whoever waits for it', async () => {
  expect(await store.commitFree([received('new')])).toEqual(new Set());
  await store.commitWaiting([received('new')]);
  expect(await store.commitFree([received('new', 'another')])).toEqual(new Set(['new']));
});

test('payloads and attempts are there before the clock is had, but for those that a day’s end could take away meanwhile', async () => {
  const named = { tenant: 'ahead', eventId: 'evt' };
  const [young, old] = [received('ahead'), received('ahead', 'old', (Date.now() - 2 * 86_400_000) * 1_000)];
  const at = Date.now() * 1_000;
  const sent = outcomeFact(named, 'ep_a', 1, 'delivered');
  const justSent: Fact = sent.kind === 'outcome' ? { ...sent, outcome: { ...sent.outcome, created_at: at } } : sent;
  const facts = [young, old, justSent, outcomeFact(named, 'ep_a', 2, 'delivered')];
  const written = () =>
    postgres.query(
      'SELECT event_id AS of FROM event_payloads WHERE tenant = $1 UNION ALL SELECT step::text FROM attempts WHERE tenant = $1 ORDER BY 1',
      ['ahead'],
    );
  let committed: Promise<void> | undefined;
  await postgres.transaction(async (holder) => {
    await run(holder, takeClocks, [{ tenant: 'ahead', n: 1 }]);
    await store.prepare(facts);
    committed = store.commitWaiting(facts);
    await someoneWaits(holder);
    expect(await written()).toEqual([{ of: '1' }, { of: 'evt' }]);
    expect(await idsOf('ahead')).toEqual([]);
  });
  await committed;
  expect(await written()).toEqual([{ of: '1' }, { of: '2' }, { of: 'evt' }, { of: 'old' }]);
  expect(await idsOf('ahead')).toEqual(['evt', 'old']);
});

/** @returns the status of an event whose set is written by one who has waited for the one that wrote the event */
async function judgedAfterWait(tenant: string, statements = intact): Promise<unknown> {
  const event = { tenant, eventId: 'evt' };
  let judged: Promise<void> | undefined;
  await postgres.transaction(async (holder) => {
    await writeBatch(holder, toBatchRows([eventFact(event)], partitionOf));
    judged = project(postgres, [fanOutFact(event, [])], statements);
    await someoneWaits(holder);
  });
  await judged;
  const [row] = await postgres.query<{ status: string }>('SELECT status FROM events WHERE tenant = $1', [tenant]);
  return row?.status;
}

test('a writer that has waited for a clock judges by what its last holder has written', async () => {
  await project(postgres, [received('seen', 'first')]);
  await postgres.query(`DELETE FROM events WHERE tenant = 'seen'`);
  expect(await judgedAfterWait('seen')).toBe('completed');
});

test('mutant: with the clock in the one statement that judges, two projectors leave an event unjudged', async () => {
  await project(postgres, [received('unseen', 'first')]);
  await postgres.query(`DELETE FROM events WHERE tenant = 'unseen'`);
  const withoutClock = {
    ...takeClocks,
    name: 'take-no-clocks',
    text: `SELECT tenant, clock_timestamp() AS last_at FROM unnest($1::text[], $2::int[]) AS wanted (tenant, n)`,
  };
  const inOne = {
    ...intact.decideEvents,
    name: 'decide-events-with-their-clocks',
    text: intact.decideEvents.text.replace(
      'WITH touched AS (',
      `WITH clocks AS (
         INSERT INTO tenant_clocks AS clock (tenant, last_at)
         SELECT DISTINCT tenant, clock_timestamp() FROM unnest($1::text[]) AS wanted (tenant)
         ON CONFLICT (tenant) DO UPDATE SET last_at = greatest(clock_timestamp(), clock.last_at + interval '1 microsecond')
       ), touched AS (`,
    ),
  };
  expect(await judgedAfterWait('unseen', { ...intact, takeClocks: withoutClock, decideEvents: inOne })).toBe(
    'received',
  );
});

test('two projectors that are handed the same, in different orders, come to the same as one, each instant given once', async () => {
  const tenants = ['both-a', 'both-b', 'both-c'];
  const factsOf = (tenant: string): Fact[] =>
    Array.from({ length: 12 }, (_, n) => ({ tenant, eventId: `evt_${n}` })).flatMap((event) => [
      eventFact(event),
      fanOutFact(event, ['ep_a', 'ep_b']),
      outcomeFact(event, 'ep_a', 1, 'retrying'),
      outcomeFact(event, 'ep_a', 2, 'delivered'),
      outcomeFact(event, 'ep_b', 1, 'dead_lettered'),
    ]);
  const newProjector = (): Write<Fact> =>
    createGroupCommit<Fact>({
      store: newStore(),
      maxItems: 40,
      maxBytes: 1_000_000,
      maxRows: 1_000,
      rowsOf,
      tenantOf,
    });
  const hand = async (write: Write<Fact>, facts: readonly Fact[], atOnce: number): Promise<void> => {
    const pieces = Array.from({ length: Math.ceil(facts.length / atOnce) }, (_, n) =>
      facts.slice(n * atOnce, (n + 1) * atOnce),
    );
    for (let n = 0; n < pieces.length; n += 3)
      await Promise.all(pieces.slice(n, n + 3).map((piece) => write(piece, piece.length)));
  };
  // A fact's rows are known to be prepared by the fact itself: each has its own, as if read from the topic by itself.
  const all = () => tenants.flatMap(factsOf);
  await Promise.all([hand(newProjector(), all(), 7), hand(newProjector(), all().reverse(), 11)]);
  await project(postgres, factsOf('one'));
  const expected = await projectedRows(postgres, 'one');
  for (const tenant of tenants) expect(await projectedRows(postgres, tenant)).toEqual(expected);
});
