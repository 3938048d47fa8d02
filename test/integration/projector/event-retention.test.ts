/**
 * Events that have not changed for long go, each with all that belongs to it, or not at all; and a poller can be told whether it has missed
 * one.
 */
import type { Postgres } from '#lib/postgres';
import { createId, formatMicros, parseRfc3339 } from '#lib/runtime';
import { findEvent, readEvents } from '../../../services/api/events/index.ts';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import { sweepEvents } from '../../../services/projector/retention/sweep-events.ts';
import type { Paced } from '../../../services/projector/retention/sweep-rows.ts';
import { writeBatch } from '../../../services/projector/write-batch.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { duplicateFact, deadLetterFact } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, partitionOf, project } from './projection.ts';
import {
  day,
  delivered,
  deliveryOf,
  eventDays,
  fannedOut,
  firstDay,
  received,
  retentionOver,
  rowsIn,
  stepped,
  type Told,
} from './retained.ts';

let postgres: Postgres;
beforeEach(async () => {
  postgres = await openDatabase(8);
});
afterEach(() => closePostgres(postgres));

const tenant = 't';
const now = firstDay + 200 * day;
const past = now - eventDays * day;
const aged = (name: string, receivedAt: number, of = tenant): Told => ({
  tenant: of,
  eventId: createId('evt', receivedAt / 1000, (size) => Buffer.alloc(size, name)),
  receivedAt,
});

/** The database's clock gives instants of today: each tenant's events are made as old as they were received. */
async function age(): Promise<void> {
  await postgres.query(
    `UPDATE events e SET updated_at = e.received_at + place * interval '1 microsecond'
       FROM (SELECT tenant, id, row_number() OVER (PARTITION BY tenant ORDER BY received_at, id) AS place FROM events) AS p
      WHERE p.tenant = e.tenant AND p.id = e.id`,
  );
}

const ids = async (of = tenant): Promise<string[]> =>
  (await readEvents(postgres, of, {}, 1_000)).events.map(({ id }) => id);

async function horizonOf(of: string): Promise<string | undefined> {
  const [row] = await postgres.query<{ events_removed_to: string }>(
    'SELECT events_removed_to FROM retention_horizons WHERE tenant = $1',
    [of],
  );
  return row?.events_removed_to;
}

const duplicateOf = (told: Told, origin: string) =>
  duplicateFact({ tenant: told.tenant, eventId: told.eventId }, { origin });

const deadLetterOf = (told: Told, origin: string, at = told.receivedAt) => {
  const fact = deadLetterFact(told.tenant, origin);
  if (fact.kind !== 'dead_letter') throw new Error('a dead letter is asked for');
  return { ...fact, deadLetter: { ...fact.deadLetter, event_id: told.eventId, at } };
};

test('an ended event goes when it has not changed for the retention, with all that belongs to it', async () => {
  const old = aged('a', past - 2 * day);
  const oldOfOther = aged('a', past - 3 * day, 'other');
  const young = aged('b', past + day);
  for (const told of [old, oldOfOther, young])
    await project(postgres, [
      ...delivered(told),
      duplicateOf(told, `${told.tenant}-${told.eventId}`),
      deadLetterOf(told, told.eventId),
    ]);
  await age();
  const removedAt = (await findEvent(postgres, tenant, old.eventId))?.updated_at;
  expect(await retentionOver(postgres).runAt(now)).toBe(true);

  expect(await ids()).toEqual([young.eventId]);
  expect(await ids('other')).toEqual([]);
  for (const [table, column] of [
    ['receipts', 'event_id'],
    ['deliveries', 'event_id'],
    ['fan_outs', 'event_id'],
    ['dead_letters', 'event_id'],
    ['event_tags', 'event_id'],
  ]) {
    const left = await postgres.query(`SELECT DISTINCT ${column} AS id FROM ${table}`);
    expect([table, left]).toEqual([table, [{ id: young.eventId }]]);
  }
  // No horizon is past what was not removed.
  expect(await horizonOf(tenant)).toBe(removedAt);
  expect((await horizonOf('other')) ?? '').toMatch(/Z$/);
});

test('one that is open stays, and ages from its last change on', async () => {
  const open = aged('a', past - 20 * day);
  const unknown = aged('b', past - 19 * day);
  const replayed = aged('c', past - 18 * day);
  await project(postgres, [received(open), fannedOut(open, ['ep_a']), received(unknown)]);
  await project(postgres, [
    received(replayed),
    fannedOut(replayed, ['ep_a']),
    stepped(replayed, 'ep_a', 1, 'retrying'),
    fannedOut(replayed, ['ep_a'], 1),
    stepped(replayed, 'ep_a', 1, 'delivered', 1),
  ]);
  await age();
  const { runAt } = retentionOver(postgres);
  expect(await runAt(now)).toBe(true);
  expect(await ids()).toEqual([open, unknown, replayed].map(({ eventId }) => eventId));
  expect(await horizonOf(tenant)).toBeUndefined();

  // The end of its delivery is a change, of today.
  await project(postgres, [stepped(open, 'ep_a', 1, 'delivered')]);
  expect(await runAt(now)).toBe(true);
  expect(await ids()).toContain(open.eventId);
  await age();
  expect(await runAt(now)).toBe(true);
  expect(await ids()).not.toContain(open.eventId);
});

test('a poller from the horizon on misses nothing; from before it, it can be told', async () => {
  const told = Array.from({ length: 12 }, (_, index) => aged(`${index}`, past - day + index * (day / 6)));
  for (const [index, event] of told.entries())
    await project(postgres, index === 2 ? [received(event)] : delivered(event));
  await age();
  const { events: before } = await readEvents(postgres, tenant, {}, 1_000);
  expect(await retentionOver(postgres).runAt(now)).toBe(true);
  const { events: left } = await readEvents(postgres, tenant, {}, 1_000);
  const gone = before.filter(({ id }) => !left.some((event) => event.id === id));
  expect(gone.map(({ id }) => id)).toEqual([0, 1, 3, 4, 5].map((index) => told[index]?.eventId));

  const horizon = parseRfc3339((await horizonOf(tenant)) ?? '') ?? Number.NaN;
  for (const cursor of before.map(({ updated_at }) => parseRfc3339(updated_at) ?? Number.NaN)) {
    const after = (rows: typeof before) => rows.filter(({ updated_at }) => (parseRfc3339(updated_at) ?? 0) > cursor);
    const misses = after(before).length > after(left).length;
    expect(misses).toBe(cursor < horizon);
  }
  // It never goes back.
  await postgres.query('UPDATE retention_horizons SET events_removed_to = $1', [formatMicros(now)]);
  expect(await retentionOver(postgres).runAt(now + 30 * day)).toBe(true);
  expect(await horizonOf(tenant)).toBe(formatMicros(now));
});

test('while projectors write, readers never see an event without its receipts, or receipts without their event', async () => {
  const told = Array.from({ length: 1_000 }, (_, index) => aged(`${index}`.padEnd(10, '.'), past - day + index));
  for (let from = 0; from < told.length; from += 250)
    await project(
      postgres,
      told
        .slice(from, from + 250)
        .flatMap((event) => [...delivered(event), duplicateOf(event, `first-${event.eventId}`)]),
    );
  await age();

  let sweeping = true;
  const halves: unknown[] = [];
  const read = async (): Promise<number> => {
    let reads = 0;
    for (; sweeping; reads += 1) {
      const found = await postgres.query(
        `SELECT coalesce(e.id, r.event_id, d.event_id) AS id, e.id IS NULL AS no_event, r.event_id IS NULL AS no_receipt
           FROM events e
           FULL JOIN (SELECT DISTINCT event_id FROM receipts WHERE event_id IS NOT NULL) AS r ON r.event_id = e.id
           FULL JOIN (SELECT DISTINCT event_id FROM deliveries) AS d ON d.event_id = coalesce(e.id, r.event_id)
          WHERE e.id IS NULL OR r.event_id IS NULL OR d.event_id IS NULL`,
      );
      halves.push(...found);
    }
    return reads;
  };
  /** New events, and duplicates of old ones, which are removed or keep their event, depending on which comes first. */
  const write = async (): Promise<number> => {
    let written = 0;
    for (; sweeping; written += 1) {
      const event = told[(written * 37) % told.length];
      if (event === undefined) continue;
      await project(postgres, [duplicateOf(event, `late-${written}`), ...delivered(aged(`n${written}`, now))]);
    }
    return written;
  };
  const others = Promise.all([read(), write()]);
  const { runAt, lines } = retentionOver(postgres);
  expect(await runAt(now)).toBe(true);
  sweeping = false;
  const [reads, written] = await others;
  expect(halves).toEqual([]);
  expect(reads).toBeGreaterThan(2);
  expect(written).toBeGreaterThan(2);
  expect(lines.filter(({ event }) => event === 'retention.failed')).toEqual([]);
  // The old ones that changed in time are left, each with its duplicate counted.
  const left = await postgres.query<{ id: string; duplicates: number; receipts: number }>(
    `SELECT e.id, e.duplicates, count(*)::int AS receipts FROM events e JOIN receipts r ON r.event_id = e.id
      WHERE r.duplicate AND e.received_at < $1 GROUP BY e.id, e.duplicates`,
    [formatMicros(past)],
  );
  for (const event of left) {
    expect(event.duplicates).toBeGreaterThan(1);
    expect(event.receipts).toBe(event.duplicates);
  }
});

test('an event that changes at the moment when its time is up stays, with what changed it', async () => {
  const old = aged('a', past - day);
  await project(postgres, delivered(old));
  await age();
  const written = Promise.withResolvers<void>();
  const waitedFor = Promise.withResolvers<void>();
  const writer = postgres.transaction(async (tx) => {
    await writeBatch(tx, toBatchRows([duplicateOf(old, 'late')], partitionOf));
    written.resolve();
    await waitedFor.promise;
  });
  await written.promise;
  const sweep = sweepEvents(postgres, past, inOneGo);
  await waitUntil('the sweep waits for the writer', () => isAnyoneWaiting(), { everyMs: 5 });
  waitedFor.resolve();
  await writer;
  expect(await sweep).toBe(0);
  expect(await findEvent(postgres, tenant, old.eventId)).toMatchObject({ duplicates: 1 });
  expect(await rowsIn(postgres, 'receipts')).toBe(2);
});

const inOneGo: Paced = async (piece) => {
  while (!(await piece()).last);
};

async function isAnyoneWaiting(): Promise<boolean> {
  const waiting = await postgres.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}

test('a sweep works in small pieces: a tenant’s writers wait for one of them at most', async () => {
  const told = Array.from({ length: 1_000 }, (_, index) => aged(`${index}`.padEnd(10, '.'), past - day + index));
  for (let from = 0; from < told.length; from += 250)
    await project(
      postgres,
      told.slice(from, from + 250).flatMap((event) => delivered(event)),
    );
  await age();
  const pieces: number[] = [];
  const paced: Paced = async (piece) => {
    for (let last = false; !last;) {
      const startedAtMs = performance.now();
      ({ last } = await piece());
      pieces.push(performance.now() - startedAtMs);
    }
  };
  expect(await sweepEvents(postgres, past, paced)).toBe(1_000);
  expect(pieces.length).toBeGreaterThanOrEqual(5);
  expect(Math.max(...pieces)).toBeLessThan(2_500);
});

test('rows whose event never came go by their own age, and young ones wait for it', async () => {
  const told = { old: aged('a', past - day), young: aged('b', past + day) };
  for (const event of Object.values(told)) {
    await project(postgres, [fannedOut(event, ['ep_a']), stepped(event, 'ep_a', 1, 'delivered')]);
    await project(postgres, [deadLetterOf(event, event.eventId)]);
    const early = duplicateOf(event, event.eventId);
    if (early.kind !== 'duplicate') throw new Error('a duplicate is asked for');
    early.duplicate.receipt_id = createId('rcp', event.receivedAt / 1000);
    await project(postgres, [early]);
  }
  expect(await retentionOver(postgres).runAt(now)).toBe(true);
  expect(await postgres.query('SELECT origin FROM receipts')).toEqual([{ origin: told.young.eventId }]);
  for (const table of ['deliveries', 'fan_outs', 'dead_letters']) {
    const left = await postgres.query(`SELECT event_id FROM ${table}`);
    expect([table, left]).toEqual([table, [{ event_id: told.young.eventId }]]);
  }
});

test('an open delivery without its event stays, and so does a dead letter of an event that is there', async () => {
  const open = aged('a', past - day);
  await project(postgres, [fannedOut(open, ['ep_a'])]);
  const there = aged('b', past + day);
  await project(postgres, [...delivered(there), deadLetterOf(there, 'old', past - 5 * day)]);
  await age();
  expect(await retentionOver(postgres).runAt(now)).toBe(true);
  expect(await postgres.query('SELECT id FROM deliveries WHERE event_id = $1', [open.eventId])).toEqual([
    { id: deliveryOf(open, 'ep_a') },
  ]);
  expect(await rowsIn(postgres, 'dead_letters')).toBe(1);
});

test('a replay goes with its items when it ended long ago, a generation with its event; what is running stays', async () => {
  const told = { old: aged('a', past - day), young: aged('b', past + day) };
  await postgres.query('INSERT INTO tenant_clocks VALUES ($1, clock_timestamp())', [tenant]);
  for (const { eventId } of Object.values(told))
    await postgres.query(`INSERT INTO replay_generations VALUES ($1, $2, 1)`, [tenant, eventId]);
  const replays = [
    { id: createId('rpl', (past - day) / 1000), endedAt: formatMicros(past - day), status: 'completed' },
    { id: createId('rpl', (past - day) / 1000), endedAt: formatMicros(past + day), status: 'partial' },
    { id: createId('rpl', (past - day) / 1000), endedAt: null, status: 'running' },
  ];
  for (const { id, endedAt, status } of replays) {
    await postgres.query(
      `INSERT INTO replays (tenant, id, request, status, matched, capped, created_at, ended_at)
       VALUES ($1, $2, '{}', $3, 2, false, clock_timestamp(), $4)`,
      [tenant, id, status, endedAt],
    );
    await postgres.query(
      `INSERT INTO replay_items (tenant, replay_id, item, generation) VALUES ($1, $2, 1, 1), ($1, $2, 2, 1)`,
      [tenant, id],
    );
  }
  expect(await retentionOver(postgres).runAt(now)).toBe(true);
  const left = replays.slice(1).map(({ id }) => id);
  const idsOf = async (text: string) => (await postgres.query<{ id: string }>(text)).map(({ id }) => id).sort();
  expect(await idsOf('SELECT id FROM replays')).toEqual([...left].sort());
  expect(await idsOf('SELECT DISTINCT replay_id AS id FROM replay_items')).toEqual([...left].sort());
  expect(await idsOf('SELECT event_id AS id FROM replay_generations')).toEqual([told.young.eventId]);
});
