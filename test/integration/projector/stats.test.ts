/**
 * The statistics are those of the rows: after any order of the topics, any batches, a batch that died before its commit, and a redelivery of
 * everything.
 */
import fc from 'fast-check';
import { maxTypesPerDay, otherTypes } from '#lib/contract';
import type { Postgres } from '#lib/postgres';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import {
  guardingStatements as intact,
  type GuardingStatements,
  writeBatch,
} from '../../../services/projector/write-batch.ts';
import { duplicateFact, eventFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, partitionOf, project } from './projection.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => closePostgres(postgres));

const minuteMicros = 60_000_000;
let tenants = 0;
const newTenant = (): string => `counted-${(tenants += 1)}`;

const story = fc.record({
  minute: fc.nat({ max: 2 }),
  type: fc.constantFrom('order.paid', 'order.refunded', 'other'),
  source: fc.constantFrom('src_1', 'src_2'),
  duplicates: fc.array(fc.record({ minute: fc.nat({ max: 2 }), changed: fc.boolean() }), { maxLength: 2 }),
  deliveries: fc.array(
    fc.record({
      endpoint: fc.constantFrom('ep_a', 'ep_b', 'ep_c'),
      steps: fc.array(fc.constantFrom('retrying' as const, 'parked' as const), { maxLength: 3 }),
      end: fc.constantFrom('delivered', 'dead_lettered', 'unsent', 'cancelled', 'open'),
    }),
    { maxLength: 3 },
  ),
});
type Story = (typeof story extends fc.Arbitrary<infer T> ? T : never)[];

/** The records of each topic, in its order: a topic is read in order, and the topics at their own paces. */
function topicsOf(tenant: string, stories: Story): Fact[][] {
  const [events, duplicates, outcomes]: [Fact[], Fact[], Fact[]] = [[], [], []];
  stories.forEach(({ minute, type, source, deliveries, ...of }, index) => {
    const named = { tenant, eventId: `evt_${index}` };
    const firsts = [...new Map(deliveries.map((each) => [each.endpoint, each])).values()];
    const at = startAt + minute * minuteMicros;
    events.push(
      eventFact(
        named,
        { type, source_id: source, received_at: at },
        firsts.map(({ endpoint }) => endpoint),
      ),
    );
    of.duplicates.forEach((duplicate, n) =>
      duplicates.push(
        duplicateFact(named, {
          origin: `duplicates-${index}-${n}`,
          receivedAt: startAt + duplicate.minute * minuteMicros + 1,
          ...(duplicate.changed && { payload: 'changed' }),
        }),
      ),
    );
    for (const { endpoint, steps, end } of firsts) {
      steps.forEach((status, n) => outcomes.push(inMinute(outcomeFact(named, endpoint, n + 1, status), n)));
      const last = steps.length + 1;
      if (end === 'unsent')
        outcomes.push(inMinute(outcomeFact(named, endpoint, last, 'dead_lettered', { sent: false }), last));
      else if (end !== 'open') outcomes.push(inMinute(outcomeFact(named, endpoint, last, end), last));
    }
  });
  return [events, duplicates, outcomes];
}

function inMinute(fact: Fact, minute: number): Fact {
  if (fact.kind !== 'outcome') return fact;
  return { ...fact, outcome: { ...fact.outcome, at: fact.outcome.at + minute * minuteMicros } };
}

/** In the order of each topic, some records twice: a consumer goes back, and reads on from there. */
function* interleaved(topics: readonly (readonly Fact[])[], picks: Iterator<number>): Generator<Fact> {
  const pick = (below: number): number => (picks.next().value ?? 0) % below;
  const positions = topics.map(() => 0);
  for (;;) {
    const left = topics.flatMap((topic, index) => ((positions[index] ?? 0) < topic.length ? [index] : []));
    if (left.length === 0) return;
    const from = left[pick(left.length)] ?? 0;
    const at = positions[from] ?? 0;
    yield topics[from]?.[at] as Fact;
    positions[from] = pick(6) === 0 ? Math.max(0, at - pick(4)) : at + 1;
  }
}

async function projectInBatches(
  facts: readonly Fact[],
  picks: Iterator<number>,
  statements?: GuardingStatements,
): Promise<void> {
  for (let done = 0; done < facts.length;) {
    const batch = facts.slice(done, done + 1 + ((picks.next().value ?? 0) % 9));
    if ((picks.next().value ?? 0) % 4 === 0) await dieBeforeCommit(batch);
    await project(postgres, batch, statements);
    done += batch.length;
  }
}

const dieBeforeCommit = (batch: readonly Fact[]): Promise<void> =>
  expect(
    postgres.transaction(async (tx) => {
      await writeBatch(tx, toBatchRows(batch, partitionOf));
      throw new Error('killed');
    }),
  ).rejects.toThrow('killed');

/** `dimension key minute series` → count, of the rows. */
async function countedInRows(tenant: string): Promise<Record<string, number>> {
  const rows = await postgres.query<{ name: string; n: number }>(
    `WITH things AS (
       SELECT 'received' AS series, received_at AS at, source_id, type, NULL AS endpoint_id, 'accepted' AS outcome
         FROM events WHERE tenant = $1
       UNION ALL
       SELECT 'duplicates', r.received_at, e.source_id, e.type, NULL, CASE WHEN r.changed THEN 'changed' ELSE 'same' END
         FROM receipts r JOIN events e ON e.tenant = r.tenant AND e.id = r.event_id
        WHERE r.tenant = $1 AND r.duplicate
       UNION ALL
       SELECT d.status, d.updated_at, e.source_id, e.type, d.endpoint_id,
              CASE WHEN d.status = 'delivered' THEN 'delivered'
                   ELSE coalesce((SELECT a.outcome FROM attempts a
                                   WHERE a.tenant = d.tenant AND a.delivery_id = d.id AND a.step = d.step), 'unsent') END
         FROM deliveries d JOIN events e ON e.tenant = d.tenant AND e.id = d.event_id
        WHERE d.tenant = $1 AND d.status IN ('delivered', 'dead_lettered')
       UNION ALL
       SELECT 'failed', a.at, e.source_id, e.type, d.endpoint_id, a.outcome
         FROM attempts a
         JOIN deliveries d ON d.tenant = a.tenant AND d.id = a.delivery_id
         JOIN events e ON e.tenant = d.tenant AND e.id = d.event_id
        WHERE a.tenant = $1 AND a.outcome <> 'delivered'
     )
     SELECT concat_ws(' ', dimension, key, date_trunc('minute', at)::text, series) AS name, count(*)::int AS n
       FROM things
      CROSS JOIN LATERAL (VALUES ('source', source_id), ('type', type), ('endpoint', endpoint_id), ('outcome', outcome))
                   AS counted (dimension, key)
      WHERE key IS NOT NULL
      GROUP BY name`,
    [tenant],
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

async function countedInStats(tenant: string): Promise<Record<string, number>> {
  const rows = await postgres.query<{ name: string; n: number }>(
    `SELECT concat_ws(' ', dimension, key, at::text, series) AS name, n::int AS n
       FROM stats
      CROSS JOIN LATERAL (VALUES ('received', received), ('duplicates', duplicates), ('delivered', delivered),
                                 ('failed', failed), ('dead_lettered', dead_lettered)) AS counted (series, n)
      WHERE tenant = $1 AND n <> 0`,
    [tenant],
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

const equalToRows = (statements?: GuardingStatements) =>
  fc.asyncProperty(
    fc.array(story, { minLength: 1, maxLength: 6 }),
    fc.infiniteStream(fc.nat()),
    async (stories, picks) => {
      const tenant = newTenant();
      const topics = topicsOf(tenant, stories);
      await projectInBatches([...interleaved(topics, picks)], picks, statements);
      const rows = await countedInRows(tenant);
      expect(await countedInStats(tenant)).toEqual(rows);
      await projectInBatches([...interleaved(topics, picks)], picks, statements);
      expect([await countedInStats(tenant), await countedInRows(tenant)]).toEqual([rows, rows]);
      expect(await postgres.query('SELECT FROM early_stats WHERE tenant = $1', [tenant])).toEqual([]);
    },
  );

test('the counts are those of the rows, whatever the batches, and a redelivery of everything changes none', async () => {
  await fc.assert(equalToRows(), { numRuns: 100 });
});

const notEnded = "\n         AND known.status NOT IN ('delivered', 'dead_lettered', 'cancelled')";

test.each([
  [
    'attempts were counted whichever step their delivery was at',
    'applyOutcomes',
    'delivery_id, step_before)',
    'delivery_id)',
  ],
  ['a delivery were counted that was not advanced', 'applyOutcomes', notEnded, ''],
  ['counts took the place of those before', 'addStats', 'known.failed + EXCLUDED.failed', 'EXCLUDED.failed'],
] as const)('would not be, if %s', async (_, name, guard, by) => {
  expect(intact[name].text).toContain(guard);
  const weakened = { ...intact[name], name: `weak-${(tenants += 1)}`, text: intact[name].text.replace(guard, by) };
  const { failed } = await fc.check(equalToRows({ ...intact, [name]: weakened }), {
    numRuns: 150,
    endOnFailure: true,
  });
  expect(failed).toBe(true);
});

test('a tenant has so many types a day, and then `other`; those that it has go on', async () => {
  const tenant = newTenant();
  const facts = (from: number, count: number, day = 0) =>
    Array.from({ length: count }, (_, n) =>
      eventFact(
        { tenant, eventId: `evt_${day}_${from + n}` },
        { type: `type.${from + n}`, received_at: startAt + day * 86_400_000_000 },
      ),
    );
  await project(postgres, facts(0, maxTypesPerDay - 1));
  await project(postgres, facts(maxTypesPerDay - 1, 3));
  await project(postgres, [eventFact({ tenant, eventId: 'evt_again' }, { type: 'type.0' }), ...facts(500, 1)]);
  await project(postgres, facts(500, 1, 1));
  const types = await postgres.query<{ key: string; at: string; received: string }>(
    "SELECT key, at, received FROM stats WHERE tenant = $1 AND dimension = 'type' AND (key IN ('type.0', 'type.500') OR key = $2) ORDER BY at, key",
    [tenant, otherTypes],
  );
  expect(types.map(({ key, at, received }) => [key, at.slice(0, 10), received])).toEqual([
    ['other', '2026-01-01', '3'],
    ['type.0', '2026-01-01', '2'],
    ['type.500', '2026-01-02', '1'],
  ]);
  const [days] = await postgres.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM stat_types WHERE tenant = $1 AND day = '2026-01-01'",
    [tenant],
  );
  expect(days?.n).toBe(maxTypesPerDay);
});
