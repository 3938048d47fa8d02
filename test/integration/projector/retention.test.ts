/**
 * Payloads and attempts go when they are past their time, and only when nothing open needs them, while others write. The time is given to
 * the retention; that of the database stands still, as it were, later than all of it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Postgres } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';
import type { Fact } from '../../../services/projector/facts.ts';
import { createDayPartitions } from '../../../services/projector/retention/day-partitions.ts';
import { partitionedTables } from '../../../services/projector/retention/partitioned-tables.ts';
import { closePostgres, openDatabase, project } from './projection.ts';
import {
  attempted,
  day,
  dayName,
  delivered,
  fannedOut,
  firstDay,
  hour,
  partitions,
  payloads,
  received,
  retentionOver,
  rowsIn,
  stepped,
  type Told,
} from './retained.ts';

/** The lock time-out of a quarter of a second, and time for a busy machine. */
const waitMs = 2_500;

let postgres: Postgres;
beforeEach(async () => {
  postgres = await openDatabase(8);
});
afterEach(() => closePostgres(postgres));

const tenant = 't';
const onDay = (number: number, name = 'evt'): Told => ({
  tenant,
  eventId: `${name}-${String(number).padStart(2, '0')}`,
  receivedAt: firstDay + number * day + 5 * hour,
});
const atNoon = (number: number): number => firstDay + number * day + 12 * hour;
const dayNames = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => dayName(firstDay + (from + index) * day));

async function bytes(): Promise<number> {
  const [row] = await postgres.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(inhrelid))::text AS bytes FROM pg_inherits WHERE inhparent = 'event_payloads'::regclass`,
  );
  return Number(row?.bytes);
}

test('payloads and attempts of the last thirty of forty days are kept, and the disk space of the others is free', async () => {
  const { runAt, lines } = retentionOver(postgres);
  const days = Array.from({ length: 40 }, (_, number) => number);
  let before = 0;
  for (const number of days) {
    if (number % 5 === 0) expect(await runAt(atNoon(number) - 11 * hour)).toBe(true);
    await project(
      postgres,
      [...Array(20).keys()].flatMap((index) => delivered(onDay(number, `evt-${index}`), 4_096)),
    );
    expect(await rowsIn(postgres, 'event_payloads_default')).toBe(0);
    expect(await rowsIn(postgres, 'attempts_default')).toBe(0);
    if (number === 29) before = await bytes();
  }
  // At noon of day 39, what is older than noon of day 9 is past its time: the last day that is so as a whole is day 8.
  expect(await runAt(atNoon(39))).toBe(true);
  const kept = days.filter((number) => number >= 9);
  expect(new Set(await payloads(postgres, tenant))).toEqual(
    new Set(kept.flatMap((number) => [...Array(20).keys()].map((index) => onDay(number, `evt-${index}`).eventId))),
  );
  expect(await attempted(postgres, tenant)).toHaveLength(kept.length * 20);
  for (const table of ['event_payloads', 'attempts'])
    expect(await partitions(postgres, table)).toEqual([...dayNames(9, 46), 'default']);
  expect(await rowsIn(postgres, 'events')).toBe(800);
  // The tables do not grow any more: thirty-one days take no more room than thirty did, but for the days that are made ahead.
  expect(await bytes()).toBeLessThan(before * 1.2);
  expect(lines.filter(({ event }) => event === 'retention.failed')).toEqual([]);

  const full = await bytes();
  expect(await runAt(atNoon(80))).toBe(true);
  expect(await payloads(postgres, tenant)).toEqual([]);
  expect(await attempted(postgres, tenant)).toEqual([]);
  expect(await bytes()).toBeLessThan(full / 4);
});

describe('rows that open work needs are kept, however old', () => {
  const old = onDay(0, 'open');
  const ended = onDay(0, 'ended');
  const closing = (generation = 0): Fact[] => [stepped(old, 'ep_a', 9, 'delivered', generation)];
  const cases: Record<string, { open: Fact[]; sql?: string; close: Fact[]; closeSql?: string }> = {
    'a delivery that has not been sent yet': {
      open: [received(old), fannedOut(old, ['ep_a'])],
      close: closing(),
    },
    'a delivery that is retried': {
      open: [received(old), fannedOut(old, ['ep_a']), stepped(old, 'ep_a', 1, 'retrying')],
      close: closing(),
    },
    'a delivery that waits for room': {
      open: [received(old), fannedOut(old, ['ep_a']), stepped(old, 'ep_a', 1, 'parked')],
      close: closing(),
    },
    'a delivery beside others that have ended': {
      open: [received(old), fannedOut(old, ['ep_a', 'ep_b']), stepped(old, 'ep_b', 1, 'dead_lettered')],
      close: closing(),
    },
    'an older generation, of an event whose newest has ended': {
      open: [
        received(old),
        fannedOut(old, ['ep_a']),
        stepped(old, 'ep_a', 1, 'retrying'),
        fannedOut(old, ['ep_a'], 1),
        stepped(old, 'ep_a', 1, 'delivered', 1),
      ],
      close: closing(),
    },
    'an event whose deliveries are not known yet': {
      open: [received(old)],
      close: [fannedOut(old, [])],
    },
    'what the dispatcher has put aside, and the tables do not know of yet': {
      open: delivered(old),
      sql: `INSERT INTO waiting VALUES ('t', 'dlv_unknown', 0, 'ep_x', '${old.eventId}', 1, 'parked', now(), 1, 0, now())`,
      close: [],
      closeSql: 'DELETE FROM waiting',
    },
  };

  test.each(Object.entries(cases))('%s', async (_, { open, sql, close, closeSql }) => {
    const { runAt, kept, lines } = retentionOver(postgres, { payloadDays: 5 });
    await runAt(atNoon(0));
    await project(postgres, [...open, ...delivered(ended)]);
    if (sql !== undefined) await postgres.query(sql);
    expect(await rowsIn(postgres, `event_payloads_${dayName(firstDay)}`)).toBe(2);

    expect(await runAt(atNoon(7))).toBe(true);
    expect(await payloads(postgres, tenant)).toEqual([old.eventId]);
    expect(await kept('event_payloads')).toBe(1);
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'retention.rows_kept', table: 'event_payloads', rows: 1 }),
    );
    expect(await partitions(postgres, 'event_payloads')).toContain(dayName(firstDay));

    await project(postgres, close);
    if (closeSql !== undefined) await postgres.query(closeSql);
    expect(await runAt(atNoon(7))).toBe(true);
    expect(await payloads(postgres, tenant)).toEqual([]);
    expect(await kept('event_payloads')).toBe(0);
    expect(await partitions(postgres, 'event_payloads')).not.toContain(dayName(firstDay));
  });

  test('and its attempts with it, of this delivery alone', async () => {
    const { runAt } = retentionOver(postgres, { payloadDays: 5 });
    await runAt(atNoon(0));
    await project(postgres, [
      received(old),
      fannedOut(old, ['ep_a', 'ep_b']),
      stepped(old, 'ep_a', 1, 'retrying'),
      stepped(old, 'ep_b', 1, 'delivered'),
      ...delivered(ended),
    ]);
    await runAt(atNoon(7));
    const endpoints = await postgres.query(
      'SELECT d.endpoint_id FROM attempts a JOIN deliveries d ON d.id = a.delivery_id',
    );
    expect(endpoints).toEqual([{ endpoint_id: 'ep_a' }]);
  });
});

describe('writers are neither refused nor held up', () => {
  const [payloadTable] = partitionedTables as [(typeof partitionedTables)[number]];

  test('four of them write on while the days that they write are made and eight others dropped', async () => {
    const { runAt, lines } = retentionOver(postgres, { payloadDays: 5 });
    await runAt(atNoon(0));
    for (let number = 0; number < 8; number += 1) await project(postgres, delivered(onDay(number), 100_000));
    let dropping = true;
    let slowestMs = 0;
    const write = async (writer: number): Promise<number> => {
      let written = 0;
      for (; dropping || written < 20; written += 1) {
        const startedAtMs = performance.now();
        await project(postgres, delivered(onDay(13 + (written % 3), `w${writer}-${written}`)));
        slowestMs = Math.max(slowestMs, performance.now() - startedAtMs);
      }
      return written;
    };
    const writers = Promise.all([0, 1, 2, 3].map(write));
    expect(await runAt(atNoon(15))).toBe(true);
    dropping = false;
    const written = (await writers).reduce((sum, count) => sum + count);
    expect(await payloads(postgres, tenant)).toHaveLength(written);
    expect(await partitions(postgres, 'event_payloads')).toEqual([...dayNames(10, 22), 'default']);
    expect(lines.filter(({ event }) => event === 'retention.failed')).toEqual([]);
    expect(slowestMs).toBeLessThan(waitMs);
  });

  test('a partition that somebody holds is given up for this round, and those who came after wait no longer than that', async () => {
    const { runAt, lines } = retentionOver(postgres, { payloadDays: 5 });
    await runAt(atNoon(0));
    await project(postgres, delivered(onDay(0)));
    const holding = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const holder = postgres.transaction(async (tx) => {
      await tx.query('SELECT count(*) FROM event_payloads');
      held.resolve();
      await holding.promise;
    });
    await held.promise;
    let done = false;
    const round = runAt(atNoon(7)).finally(() => (done = true));
    let slowestMs = 0;
    for (let written = 0; !done; written += 1) {
      const startedAtMs = performance.now();
      await project(postgres, delivered(onDay(7, `w${written}`)));
      slowestMs = Math.max(slowestMs, performance.now() - startedAtMs);
      await delay(1);
    }
    expect(await round).toBe(false);
    expect(slowestMs).toBeLessThan(waitMs);
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'retention.failed', step: 'drop days of event_payloads' }),
    );
    expect(await payloads(postgres, tenant)).toContain(onDay(0).eventId);
    holding.resolve();
    await holder;
    expect(await runAt(atNoon(7))).toBe(true);
    expect(await payloads(postgres, tenant)).not.toContain(onDay(0).eventId);
  });

  const late = onDay(0, 'late');
  const dropPayloads = (beforeDetach?: () => Promise<void>) =>
    createDayPartitions(postgres, payloadTable, {
      lockTimeoutMs: 250,
      ...(beforeDetach === undefined ? {} : { beforeDetach }),
    }).dropBefore(atNoon(7) - 5 * day, async (piece) => {
      while (!(await piece()).last);
    });

  test('an event that comes into a partition at the moment of its end keeps its payload', async () => {
    const { runAt } = retentionOver(postgres, { payloadDays: 5 });
    await runAt(atNoon(0));
    await project(postgres, delivered(onDay(0)));
    let came = false;
    await dropPayloads(async () => {
      if (!came) await project(postgres, [received(late)]);
      came = true;
    });
    expect(await payloads(postgres, tenant)).toEqual([late.eventId]);
    expect(await partitions(postgres, 'event_payloads')).not.toContain(dayName(firstDay));
    // And goes when it has ended.
    await project(postgres, [fannedOut(late, [])]);
    await dropPayloads();
    expect(await payloads(postgres, tenant)).toEqual([]);
  });

  test('a partition that was detached by somebody who died is dropped by the next, but for what is needed', async () => {
    const { runAt } = retentionOver(postgres, { payloadDays: 5 });
    await runAt(atNoon(0));
    await project(postgres, [...delivered(onDay(0)), received(late)]);
    const partition = `event_payloads_${dayName(firstDay)}`;
    await postgres.query(`ALTER TABLE event_payloads DETACH PARTITION ${partition}`);
    expect(await runAt(atNoon(7))).toBe(true);
    expect(await payloads(postgres, tenant)).toEqual([late.eventId]);
    expect(await postgres.query('SELECT to_regclass($1) AS left', [partition])).toEqual([{ left: null }]);
  });
});

test('two projectors at once come to the same as one', async () => {
  const [one, other] = [retentionOver(postgres), retentionOver(postgres)];
  for (const at of [atNoon(0), atNoon(7)]) await Promise.all([one.runAt(at), other.runAt(at)]);
  for (let number = 0; number < 14; number += 1) await project(postgres, delivered(onDay(number), 10_000));
  await project(postgres, [received(onDay(3, 'open'))]);
  const done = await Promise.all([one.runAt(atNoon(40)), other.runAt(atNoon(40))]);
  // A run that waits too long for the other at a partition comes again.
  if (done.includes(false)) await Promise.all([one.runAt(atNoon(40)), other.runAt(atNoon(40))]);
  expect(await payloads(postgres, tenant)).toEqual([
    onDay(3, 'open').eventId,
    ...[10, 11, 12, 13].map((number) => onDay(number).eventId),
  ]);
  expect(await partitions(postgres, 'event_payloads')).toEqual([
    dayName(firstDay + 3 * day),
    ...dayNames(10, 47),
    'default',
  ]);
});

describe('the default partition', () => {
  test('has what comes from other times, and gives it to its day once that is made', async () => {
    const { runAt } = retentionOver(postgres);
    await runAt(atNoon(0));
    const ahead = onDay(20, 'ahead');
    await project(postgres, delivered(ahead));
    expect(await rowsIn(postgres, 'event_payloads_default')).toBe(1);
    expect(await runAt(atNoon(15))).toBe(true);
    expect(await rowsIn(postgres, 'event_payloads_default')).toBe(0);
    expect(await rowsIn(postgres, `event_payloads_${dayName(ahead.receivedAt)}`)).toBe(1);
    expect(await rowsIn(postgres, `attempts_${dayName(ahead.receivedAt)}`)).toBe(1);
  });

  test('is swept by deletion: what is past its time and not needed', async () => {
    const { runAt, kept } = retentionOver(postgres);
    await runAt(atNoon(40));
    await project(postgres, [
      ...delivered(onDay(1, 'ended')),
      received(onDay(1, 'open')),
      ...delivered(onDay(35, 'young')),
    ]);
    expect(await rowsIn(postgres, 'event_payloads_default')).toBe(3);
    expect(await runAt(atNoon(40))).toBe(true);
    expect(await payloads(postgres, tenant)).toEqual([onDay(1, 'open').eventId, onDay(35, 'young').eventId]);
    expect(await kept('event_payloads')).toBe(1);
  });

  test('keeps a day of which it has too many rows to move them while writers wait, and goes on for the other days', async () => {
    const { runAt, lines } = retentionOver(postgres);
    await postgres.query(
      `INSERT INTO event_payloads SELECT 't', 'evt-' || n, $1::timestamptz, '', '' FROM generate_series(1, 10001) n`,
      [formatMicros(atNoon(1))],
    );
    expect(await runAt(atNoon(0))).toBe(true);
    expect(await partitions(postgres, 'event_payloads')).toEqual([...dayNames(0, 0), ...dayNames(2, 7), 'default']);
    expect(lines).toContainEqual(
      expect.objectContaining({
        event: 'retention.days_left_to_default',
        partitions: [`event_payloads_${dayName(atNoon(1))}`],
      }),
    );
    expect(await runAt(atNoon(40))).toBe(true);
    expect(await rowsIn(postgres, 'event_payloads')).toBe(0);
  });
});

test('after a month of pause the days of the pause are made before they are written, and the oldest dropped', async () => {
  const { runAt } = retentionOver(postgres);
  await runAt(atNoon(0));
  for (const number of [0, 3, 7]) await project(postgres, delivered(onDay(number)));
  await project(postgres, [received(onDay(2, 'open'))]);
  // Kafka has kept what came meanwhile.
  const successor = retentionOver(postgres);
  expect(await successor.runAt(atNoon(36))).toBe(true);
  for (let number = 3; number <= 36; number += 1) await project(postgres, delivered(onDay(number, 'late')));
  expect(await rowsIn(postgres, `event_payloads_default`)).toBe(3);
  expect(await successor.runAt(atNoon(36))).toBe(true);
  expect(await rowsIn(postgres, 'event_payloads_default')).toBe(0);
  expect(await payloads(postgres, tenant)).toEqual([
    onDay(2, 'open').eventId,
    ...[6, 7].flatMap((number) =>
      number === 7 ? [onDay(7).eventId, onDay(7, 'late').eventId] : [onDay(6, 'late').eventId],
    ),
    ...Array.from({ length: 29 }, (_, index) => onDay(8 + index, 'late').eventId),
  ]);
});

test('a clock that is set years ahead removes nothing', async () => {
  const { runAt } = retentionOver(postgres);
  const now = Math.floor(Date.now() / 1) * 1_000;
  const fresh: Told = { tenant, eventId: 'fresh', receivedAt: now };
  await runAt(now);
  await project(postgres, delivered(fresh));
  expect(await runAt(now + 3_650 * day)).toBe(true);
  expect(await payloads(postgres, tenant)).toEqual([fresh.eventId]);
});

test('an attempt whose record comes again, with other times, is there once', async () => {
  const { runAt } = retentionOver(postgres);
  await runAt(atNoon(0));
  const told = onDay(0);
  const first = stepped(told, 'ep_a', 1, 'retrying');
  if (first.kind !== 'outcome') throw new Error('an outcome is asked for');
  // The fan-out was repeated a day later, and the delivery sent again.
  const { at, created_at } = first.outcome;
  const again: Fact = { ...first, outcome: { ...first.outcome, at: at + day, created_at: created_at + day } };
  await project(postgres, [first]);
  await project(postgres, [again]);
  expect(await postgres.query('SELECT at FROM attempts')).toEqual([{ at: formatMicros(at) }]);
});

test('the payload of an event that comes again after its time is not brought back', async () => {
  const { runAt } = retentionOver(postgres);
  await runAt(atNoon(0));
  await project(postgres, delivered(onDay(0)));
  await runAt(atNoon(35));
  await project(postgres, delivered(onDay(0)));
  expect(await payloads(postgres, tenant)).toEqual([]);
});
