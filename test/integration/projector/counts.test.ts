/**
 * The counts of an event's deliveries, and its status: exact after every batch, in any order, and at a cost that does not grow with the
 * event.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { SetChunk } from '#lib/contract';
import { createPostgres, migrate, type Postgres, type Query } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import {
  guardingStatements as intact,
  type GuardingStatements,
  writeBatch,
} from '../../../services/projector/write-batch.ts';
import { createEmptyDatabase, migrations } from '../../support/servers.ts';
import { eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, partitionOf, project } from './projection.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => closePostgres(postgres));

interface Shown {
  status: string;
  generation: number | null;
  pending: number;
  retrying: number;
  delivered: number;
  dead_lettered: number;
  cancelled: number;
}

const countColumns = 'pending, retrying, delivered, dead_lettered, cancelled';
const shownOf = async (tenant: string, id: string): Promise<Shown | undefined> =>
  (
    await postgres.query<Shown>(
      `SELECT status, generation, ${countColumns} FROM events WHERE tenant = $1 AND id = $2`,
      [tenant, id],
    )
  )[0];

/** By the rows themselves, of each endpoint those of its newest generation. */
async function recounted(tenant: string, id: string): Promise<Shown> {
  const is = (...statuses: string[]) =>
    `count(*) FILTER (WHERE status IN (${statuses.map((s) => `'${s}'`).join()}))::int`;
  const [counts] = await postgres.query<Omit<Shown, 'status'>>(
    `SELECT ${is('pending', 'parked')} AS pending, ${is('retrying')} AS retrying, ${is('delivered')} AS delivered,
            ${is('dead_lettered')} AS dead_lettered, ${is('cancelled')} AS cancelled,
            (SELECT max(generation) FROM fan_outs WHERE tenant = $1 AND event_id = $2) AS generation
       FROM deliveries d
      WHERE tenant = $1 AND event_id = $2
        AND generation = (SELECT max(generation) FROM deliveries n
                           WHERE n.tenant = $1 AND n.event_id = $2 AND n.endpoint_id = d.endpoint_id)`,
    [tenant, id],
  );
  if (counts === undefined) throw new Error('a count is a row');
  const { pending, retrying, dead_lettered } = counts;
  const ended = dead_lettered > 0 ? 'dead_lettered' : 'completed';
  return { ...counts, status: pending + retrying > 0 ? 'processing' : ended };
}

const unknown: Shown = {
  status: 'received',
  generation: null,
  pending: 0,
  retrying: 0,
  delivered: 0,
  dead_lettered: 0,
  cancelled: 0,
};

const endpoints = ['ep_a', 'ep_b', 'ep_c', 'ep_d', 'ep_e'];
const statuses = ['retrying', 'parked', 'delivered', 'dead_lettered', 'cancelled'] as const;
const members = fc.subarray(endpoints);
const generations = fc.integer({ min: 0, max: 2 });

/** All chunks of one try, or but some of them: who wrote it died. */
const aTry = fc.record({
  kind: fc.constant('try' as const),
  name: fc.uuid(),
  generation: generations,
  chunks: fc.array(members, { minLength: 1, maxLength: 3 }),
  lost: fc.nat({ max: 5 }),
});
const aSet = fc.record({ kind: fc.constant('set' as const), generation: generations, members });
const anOutcome = fc.record({
  kind: fc.constant('outcome' as const),
  endpoint: fc.constantFrom(...endpoints),
  generation: generations,
  step: fc.integer({ min: 1, max: 4 }),
  status: fc.constantFrom(...statuses),
});
const told = fc.array(fc.oneof({ weight: 2, arbitrary: aTry }, aSet, { weight: 6, arbitrary: anOutcome }), {
  minLength: 1,
  maxLength: 30,
});

type Told = (typeof told extends fc.Arbitrary<infer T> ? T : never)[number];

function factsOf(named: { tenant: string; eventId: string }, each: Told): Fact[] {
  switch (each.kind) {
    case 'set':
      return [fanOutFact(named, each.members, each.generation)];
    case 'outcome':
      return [outcomeFact(named, each.endpoint, each.step, each.status, { generation: each.generation })];
    case 'try': {
      const { name, chunks, generation, lost } = each;
      return chunks
        .map((of, index) => fanOutFact(named, of, generation, { try: name, index, count: chunks.length }))
        .filter((_, index) => index !== lost);
    }
  }
}

/** Whether a set of generation 0 is whole by these facts. */
function isSetKnown(facts: readonly Fact[]): boolean {
  const seen = new Map<string, Set<number>>();
  for (const fact of facts) {
    if (fact.kind !== 'fan-out' || fact.fanOut.generation !== 0) continue;
    const { chunk } = fact.fanOut;
    if (chunk === null) return true;
    const ofTry = (seen.get(chunk.try) ?? new Set()).add(chunk.index);
    seen.set(chunk.try, ofTry);
    if (ofTry.size === chunk.count) return true;
  }
  return false;
}

let tenants = 0;
const exactAfterEveryBatch = (statements?: GuardingStatements) =>
  fc.asyncProperty(
    told,
    fc.array(fc.nat(), { maxLength: 10 }),
    fc.nat(),
    fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 }),
    fc.infiniteStream(fc.nat()),
    async (history, again, eventAt, batchSizes, picks) => {
      const named = { tenant: `counted-${(tenants += 1)}`, eventId: 'evt_1' };
      const once = history.flatMap((each) => factsOf(named, each));
      const repeated = again.flatMap((index) => once.slice(index % once.length, (index % once.length) + 1));
      const left = [...once, ...repeated];
      // In any order, the event's own record anywhere among them.
      const facts: Fact[] = [];
      while (left.length > 0) facts.push(...left.splice((picks.next().value ?? 0) % left.length, 1));
      facts.splice(eventAt % (facts.length + 1), 0, eventFact(named));
      for (let batch = 0, done = 0; done < facts.length; batch += 1) {
        const next = facts.slice(done, done + (batchSizes[batch % batchSizes.length] ?? 1));
        await project(postgres, next, statements);
        done += next.length;
        const shown = await shownOf(named.tenant, named.eventId);
        if (shown === undefined) continue;
        const isKnown = isSetKnown(facts.slice(0, done));
        expect(shown).toEqual(isKnown ? await recounted(named.tenant, named.eventId) : unknown);
      }
    },
  );

describe('the counts of an event', () => {
  test('are those of its rows after every batch, once its set is known, and nothing before', async () => {
    await fc.assert(exactAfterEveryBatch(), { numRuns: 120 });
  });

  const mutants: [what: string, ...weakening: Parameters<typeof weakened>][] = [
    [
      'an event were judged before its first set is whole',
      'decideEvents',
      'AND f.generation = 0) AS decided',
      ') OR true AS decided',
    ],
    ['the first chunk made a set known', 'insertFanOuts', '>= max(chunks)', '>= 1'],
    [
      'a replay did not subtract what it supersedes',
      'insertFanOuts',
      'WHERE p.generation > p.newest_before\n          OR ',
      'WHERE ',
    ],
    [
      'what is superseded still moved the counts',
      'applyOutcomes',
      'WHERE p.generation >= coalesce(p.newest_before, p.generation)',
      'WHERE true',
    ],
  ];
  test.each(mutants)('would not, if %s', async (_, ...weakening) => {
    const { failed, errorInstance } = await fc.check(exactAfterEveryBatch(weakened(...weakening)), {
      numRuns: 200,
      endOnFailure: true,
    });
    expect(failed).toBe(true);
    expect(String(errorInstance)).toContain('toEqual');
  });
});

function weakened(
  name: 'decideEvents' | 'insertFanOuts' | 'applyOutcomes',
  guard: string,
  by: string,
): GuardingStatements {
  const statement = intact[name];
  if (!statement.text.includes(guard)) throw new Error(`${name} has no ${guard}`);
  tenants += 1;
  return {
    ...intact,
    [name]: { ...statement, name: `${statement.name}-${tenants}`, text: statement.text.replace(guard, by) },
  };
}

describe('a set that comes in chunks', () => {
  const chunk = (name: string, index: number, count: number): SetChunk => ({ try: name, index, count });
  const begin = async () => {
    const named = { tenant: `chunks-${(tenants += 1)}`, eventId: 'evt_1' };
    await project(postgres, [eventFact(named)]);
    return { named, read: () => shownOf(named.tenant, named.eventId) };
  };

  test('says nothing of its event until one try is whole, however its deliveries end meanwhile', async () => {
    const { named, read } = await begin();
    await project(postgres, [fanOutFact(named, ['ep_a'], 0, chunk('one', 0, 2))]);
    await project(postgres, [outcomeFact(named, 'ep_a', 1, 'delivered')]);
    // Died there; another comes to other chunks.
    await project(postgres, [fanOutFact(named, ['ep_a'], 0, chunk('two', 0, 3))]);
    await project(postgres, [fanOutFact(named, ['ep_b'], 0, chunk('two', 1, 3))]);
    expect(await read()).toEqual(unknown);
    await project(postgres, [fanOutFact(named, [], 0, chunk('two', 2, 3))]);
    expect(await read()).toMatchObject({ status: 'processing', generation: 0, delivered: 1, pending: 1 });
    await project(postgres, [outcomeFact(named, 'ep_b', 1, 'delivered')]);
    expect(await read()).toMatchObject({ status: 'completed', delivered: 2, pending: 0 });
  });

  test('keeps no chunk once the set is known, and takes none that comes late', async () => {
    const { named } = await begin();
    const kept = () => postgres.query('SELECT try, chunk FROM fan_out_chunks WHERE tenant = $1', [named.tenant]);
    await project(postgres, [fanOutFact(named, ['ep_a'], 0, chunk('one', 1, 2))]);
    expect(await kept()).toEqual([{ try: 'one', chunk: 1 }]);
    await project(postgres, [
      fanOutFact(named, ['ep_a'], 0, chunk('two', 0, 2)),
      fanOutFact(named, ['ep_b'], 0, chunk('two', 1, 2)),
    ]);
    await project(postgres, [fanOutFact(named, ['ep_c'], 0, chunk('one', 0, 2))]);
    expect(await kept()).toEqual([]);
    expect(await shownOf(named.tenant, named.eventId)).toMatchObject({ status: 'processing', pending: 3 });
  });

  test('is known by one try alone, not by the chunks of several', async () => {
    const statusOf = async (statements?: GuardingStatements) => {
      const { named, read } = await begin();
      const halves = [
        fanOutFact(named, ['ep_a'], 0, chunk('one', 0, 2)),
        fanOutFact(named, ['ep_b'], 0, chunk('two', 1, 2)),
      ];
      await project(postgres, halves, statements);
      return (await read())?.status;
    };
    expect(await statusOf()).toBe('received');
    const ofTry = 'GROUP BY tenant, event_id, generation, try';
    const ofAny = 'GROUP BY tenant, event_id, generation';
    expect(await statusOf(weakened('insertFanOuts', ofTry, ofAny))).toBe('processing');
  });

  test('is waited for where a replay’s set is known before', async () => {
    const { named, read } = await begin();
    await project(postgres, [fanOutFact(named, ['ep_a'], 1)]);
    await project(postgres, [outcomeFact(named, 'ep_a', 1, 'delivered', { generation: 1 })]);
    expect(await read()).toEqual(unknown);
    await project(postgres, [fanOutFact(named, ['ep_a', 'ep_b'])]);
    expect(await read()).toMatchObject({ status: 'processing', generation: 1, delivered: 1, pending: 1 });
  });
});

test('a database of the version before: its events are counted when they change, and not shown again for that', async () => {
  const before = await mkdtemp(join(tmpdir(), 'hookline-migrations-'));
  await copyFile(join(migrations, '0001_initial.sql'), join(before, '0001_initial.sql'));
  const url = await createEmptyDatabase();
  await migrate({ url, directory: before, log: silentLogger });
  await rm(before, { recursive: true });
  const old = createPostgres({
    url,
    applicationName: 'hookline-test',
    maxConnections: 2,
    statementTimeoutMs: 20_000,
    log: silentLogger,
  });
  const tenant = 't';
  const events = ['known', 'unknown'].map((eventId) => ({ tenant, eventId }));
  try {
    await old.query(
      `INSERT INTO events (tenant, id, source_id, type, receipt_id, origin, dedup_key, status, received_at, updated_at, generation, pending, delivered)
       VALUES ('t', 'known', 'src', 'type', 'rcp_1', 'o-1', '\\x01', 'processing', now(), now(), 1, 1, 1),
              ('t', 'unknown', 'src', 'type', 'rcp_2', 'o-2', '\\x02', 'received', now(), now() + interval '1 s', NULL, 0, 1)`,
    );
    await old.query(`INSERT INTO fan_outs (tenant, event_id, generation) VALUES ('t', 'known', 0), ('t', 'known', 1)`);
    await old.query(
      `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, attempts, created_at, updated_at)
       VALUES ('t', 'dlv_known_ep_a_0', 'known', 'ep_a', 0, 'dead_lettered', 1, 1, now(), now()),
              ('t', 'dlv_known_ep_a_1', 'known', 'ep_a', 1, 'pending', 0, 0, now(), now()),
              ('t', 'dlv_known_ep_b_0', 'known', 'ep_b', 0, 'delivered', 1, 1, now(), now()),
              ('t', 'dlv_unknown_ep_a_0', 'unknown', 'ep_a', 0, 'delivered', 1, 1, now(), now())`,
    );
    expect(await migrate({ url, directory: migrations, log: silentLogger })).toContain('0002_sets_in_chunks');

    const read = async () =>
      Object.fromEntries(
        (
          await old.query<{ id: string }>(
            `SELECT id, status, generation, counted, updated_at, ${countColumns} FROM events ORDER BY id`,
          )
        ).map(({ id, ...shown }) => [id, shown]),
      );
    const [known, unknownYet] = events as [(typeof events)[0], (typeof events)[0]];
    const atFirst = await read();
    await project(old, [fanOutFact(known, ['ep_a', 'ep_b'])]);
    expect(await read()).toEqual({ ...atFirst, known: { ...atFirst['known'], counted: true } });

    await project(old, [
      outcomeFact(known, 'ep_a', 1, 'delivered', { generation: 1 }),
      fanOutFact(unknownYet, ['ep_a', 'ep_b']),
    ]);
    expect(await read()).toMatchObject({
      known: { status: 'completed', counted: true, pending: 0, delivered: 2, dead_lettered: 0 },
      unknown: { status: 'processing', counted: true, pending: 1, delivered: 1 },
    });
  } finally {
    await closePostgres(old);
  }
});

describe('the cost of an event of many deliveries', () => {
  const small = 300;
  const large = 30_000;

  /** An event with so many deliveries, all of them pending. */
  async function wideEvent(deliveries: number) {
    const named = { tenant: `wide-${deliveries}`, eventId: 'evt_1' };
    await project(postgres, [eventFact(named)]);
    for (let from = 0; from < deliveries; from += 1_000) {
      const names = Array.from({ length: Math.min(1_000, deliveries - from) }, (_, index) => `ep_${from + index}`);
      const chunk = { try: 'one', index: Math.floor(from / 1_000), count: Math.ceil(deliveries / 1_000) };
      await project(postgres, [fanOutFact(named, names, 0, chunk)]);
    }
    expect(await shownOf(named.tenant, named.eventId)).toMatchObject({ status: 'processing', pending: deliveries });
    return named;
  }

  /** The rows that each statement of a batch looks at, by its name. */
  async function rowsRead(facts: readonly Fact[]): Promise<Record<string, number>> {
    const rows: Record<string, number> = {};
    await postgres.transaction(async (tx) => {
      // One after the other: concurrent queries would be measured between the savepoints of another.
      let last: Promise<unknown> = Promise.resolve();
      const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
        const turn = last.then(work);
        last = turn.catch(() => undefined);
        return turn;
      };
      const measure: Query = {
        async query(text, values, name = '') {
          await tx.query('SAVEPOINT measured');
          const [explained] = await tx.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
            `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
            values,
          );
          await tx.query('ROLLBACK TO SAVEPOINT measured');
          rows[name] = explained === undefined ? 0 : rowsOf(explained['QUERY PLAN'][0].Plan);
          return tx.query(text, values, name);
        },
      };
      const measured: Query = { query: (...statement) => inTurn(() => measure.query(...statement)) };
      await writeBatch(measured, toBatchRows(facts, partitionOf));
      await inTurn(async () => undefined);
    });
    return rows;
  }

  test('does not grow with them: an outcome, a replay, a set that is repeated', async () => {
    const stories: Record<string, (named: Named) => Fact[]> = {
      outcome: (named) => [outcomeFact(named, 'ep_7', 1, 'delivered')],
      replay: (named) => [fanOutFact(named, ['ep_7'], 1)],
      'outcome of the replay': (named) => [outcomeFact(named, 'ep_7', 1, 'delivered', { generation: 1 })],
      repetition: (named) => [fanOutFact(named, ['ep_7', 'ep_8'])],
    };
    const measure = async (deliveries: number): Promise<Map<string, Record<string, number>>> => {
      const named = await wideEvent(deliveries);
      await postgres.query('VACUUM ANALYZE deliveries, events, fan_outs');
      const measured = new Map<string, Record<string, number>>();
      for (const [story, told] of Object.entries(stories)) measured.set(story, await rowsRead(told(named)));
      expect(await shownOf(named.tenant, named.eventId)).toMatchObject({ pending: deliveries - 1, delivered: 1 });
      return measured;
    };
    const [few, many] = [await measure(small), await measure(large)];
    const compared = [...few].flatMap(([story, statements]) =>
      Object.entries(statements).map(([name, rows]) => ({
        story,
        name,
        few: rows,
        many: many.get(story)?.[name] ?? 0,
      })),
    );
    expect(compared.length).toBeGreaterThan(8);
    expect(compared.filter((each) => each.many > 1.5 * each.few)).toEqual([]);
  });
});

interface Named {
  tenant: string;
  eventId: string;
}

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const rowsOf = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0);
