/**
 * Four topics bring the projector's records, each at its own pace, and any record may come again: in any order and any batches, the rows
 * must be the same in the end.
 */
import fc from 'fast-check';
import type { Postgres } from '#lib/postgres';
import type { Fact } from '../../../services/projector/facts.ts';
import { guardingStatements as intact, type GuardingStatements } from '../../../services/projector/write-batch.ts';
import {
  duplicateFact,
  eventFact,
  fanOutFact,
  deadLetterFact,
  outcomeFact,
  startAt,
} from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, project, projectedRows } from './projection.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => closePostgres(postgres));

/** A statement with the same parameters and columns. */
const nothingAdopted = `
  SELECT ($1::text[])[1] AS tenant, encode(($2::bytea[])[1], 'hex') AS event_id, 0 AS duplicates, 0 AS duplicates_changed LIMIT 0`;

/** An event's whole story. Duplicates name it by its id, by the end of that, or by an id that never lived: of a record that was buried. */
function storyOf(tenant: string, eventId: string): Fact[] {
  const named = { tenant, eventId };
  return [
    eventFact(named),
    duplicateFact(named, { origin: `${eventId}-d1` }),
    duplicateFact(named, { origin: `${eventId}-d2`, payload: 'another' }),
    duplicateFact(named, { origin: `${eventId}-d3`, named: 'by its id’s end' }),
    duplicateFact(named, { origin: `${eventId}-d4`, named: 'by its id’s end', payload: 'another' }),
    duplicateFact(
      { tenant, eventId: `${eventId}-never` },
      { origin: `${eventId}-d5`, key: `key of ${eventId}`, payload: `{"id":"${eventId}"}` },
    ),
  ];
}

const history = (tenant: string): Fact[] => {
  const delivered = { tenant, eventId: 'delivered' };
  const failed = { tenant, eventId: 'failed' };
  const replayed = { tenant, eventId: 'replayed' };
  const waiting = { tenant, eventId: 'waiting' };
  const unmatched = { tenant, eventId: 'unmatched' };
  const atOnce = { tenant, eventId: 'at_once' };
  return [
    ...[delivered, failed, replayed, waiting, unmatched].flatMap(({ eventId }) => storyOf(tenant, eventId)),
    // Published with its set, and published again as wide after a crash.
    eventFact(atOnce, {}, ['ep_a', 'ep_bb']),
    ...storyOf(tenant, 'at_once'),
    fanOutFact(atOnce, ['ep_a', 'ep_bb']),
    outcomeFact(atOnce, 'ep_a', 1, 'delivered'),
    outcomeFact(atOnce, 'ep_bb', 1, 'delivered'),
    eventFact({ tenant, eventId: 'at_once_alone' }, { dedup_key: Buffer.from('of its own') }, []),
    fanOutFact(unmatched, []),
    // Two sets of one generation, which a repeated fan-out found to be different.
    fanOutFact(delivered, ['ep_a', 'ep_bb']),
    fanOutFact(delivered, ['ep_bb', 'ep_ccc']),
    outcomeFact(delivered, 'ep_a', 1, 'delivered'),
    outcomeFact(delivered, 'ep_bb', 1, 'retrying'),
    outcomeFact(delivered, 'ep_bb', 2, 'parked'),
    outcomeFact(delivered, 'ep_bb', 3, 'delivered'),
    outcomeFact(delivered, 'ep_ccc', 1, 'cancelled'),
    fanOutFact(failed, ['ep_a', 'ep_bb']),
    outcomeFact(failed, 'ep_a', 1, 'delivered'),
    outcomeFact(failed, 'ep_bb', 1, 'retrying'),
    outcomeFact(failed, 'ep_bb', 2, 'dead_lettered'),
    deadLetterFact(tenant, 'failed-ep_bb'),
    fanOutFact(replayed, ['ep_a', 'ep_bb']),
    outcomeFact(replayed, 'ep_a', 1, 'dead_lettered'),
    outcomeFact(replayed, 'ep_bb', 1, 'delivered'),
    fanOutFact(replayed, ['ep_a'], 1),
    outcomeFact(replayed, 'ep_a', 1, 'delivered', { generation: 1 }),
    // In chunks: one try whose writer died, and one that is whole.
    fanOutFact(waiting, ['ep_a', 'ep_bb'], 0, { try: 'died', index: 0, count: 2 }),
    fanOutFact(waiting, ['ep_a'], 0, { try: 'whole', index: 0, count: 3 }),
    fanOutFact(waiting, ['ep_bb'], 0, { try: 'whole', index: 1, count: 3 }),
    fanOutFact(waiting, ['ep_ccc'], 0, { try: 'whole', index: 2, count: 3 }),
    outcomeFact(waiting, 'ep_a', 1, 'retrying'),
    outcomeFact(waiting, 'ep_a', 2, 'retrying'),
    outcomeFact(waiting, 'ep_bb', 1, 'parked'),
  ];
};

const statuses = {
  at_once: 'completed',
  at_once_alone: 'completed',
  delivered: 'completed',
  failed: 'dead_lettered',
  replayed: 'completed',
  unmatched: 'completed',
  waiting: 'processing',
};

async function run(
  tenant: string,
  facts: readonly Fact[],
  batchSizes: readonly number[],
  statements?: GuardingStatements,
): Promise<Record<string, unknown[]>> {
  const left = [...facts];
  for (let batches = 0; left.length > 0; batches += 1)
    await project(postgres, left.splice(0, batchSizes[batches % batchSizes.length] ?? 1), statements);
  return projectedRows(postgres, tenant);
}

test('whatever comes first, and again, the rows are the same in the end', async () => {
  const told = history('told');
  const expected = await run('told', told, [told.length]);
  const shown = expected['events'] as { id: string; status: string; duplicates: number; duplicates_changed: number }[];
  expect(Object.fromEntries(shown.map(({ id, status }) => [id, status]))).toEqual(statuses);
  for (const event of shown.filter(({ id }) => id !== 'at_once_alone'))
    expect(event).toMatchObject({ duplicates: 5, duplicates_changed: 2 });
  expect(expected['waiting']).toMatchObject([
    { delivery_id: 'dlv_waiting_ep_a_0', state: 'retrying', step: 2, partition: 4 },
    { delivery_id: 'dlv_waiting_ep_bb_0', state: 'parked', step: 1, partition: 5 },
  ]);

  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...told.keys()], { minLength: told.length }),
      fc.array(fc.nat(told.length - 1), { maxLength: 15 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
      async (order, again, batchSizes) => {
        const tenant = `run-${(runs += 1)}`;
        const facts = history(tenant);
        const at = (index: number): Fact[] => facts.slice(index, index + 1);
        expect(await run(tenant, [...order.flatMap(at), ...again.flatMap(at)], batchSizes)).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
});

describe('the duplicates of a key that was taken over when it had expired', () => {
  const key = 'k';
  const [early, late] = [startAt + 50, startAt + 150];
  const told = (tenant: string): Fact[] => {
    const of = (eventId: string, origin: string, more: Partial<Parameters<typeof duplicateFact>[1]>): Fact =>
      duplicateFact({ tenant, eventId }, { origin, key, payload: 'body', ...more });
    const event = (eventId: string, received_at: number, payload: string): Fact =>
      eventFact({ tenant, eventId }, { dedup_key: Buffer.from(key), received_at, payload: Buffer.from(payload) });
    return [
      event('before', startAt, 'body'),
      event('taker', startAt + 100, 'another'),
      of('before', 'by id', { receivedAt: early }),
      of('before', 'by end', { named: 'by its id’s end', receivedAt: early }),
      // Received before the key expired, and decided after it was taken over.
      of('taker', 'by end, late', { named: 'by its id’s end', receivedAt: early }),
      of('taker', 'by id, late', { receivedAt: early }),
      of('buried', 'of the first life', { receivedAt: early }),
      of('buried', 'of the second life', { receivedAt: late }),
    ];
  };
  const owners = {
    'by id': 'before',
    'by end': 'before',
    'by end, late': 'taker',
    'by id, late': 'taker',
    'of the first life': 'before',
    'of the second life': 'taker',
  };
  const countsOf = async (tenant: string) => ({
    events: await postgres.query(
      'SELECT id, duplicates, duplicates_changed FROM events WHERE tenant = $1 ORDER BY id',
      [tenant],
    ),
    owners: Object.fromEntries(
      (
        await postgres.query<{ origin: string; event_id: string }>(
          'SELECT origin, event_id FROM receipts WHERE tenant = $1 AND duplicate',
          [tenant],
        )
      ).map(({ origin, event_id }) => [origin, event_id]),
    ),
  });
  const exact = {
    events: [
      { id: 'before', duplicates: 3, duplicates_changed: 0 },
      { id: 'taker', duplicates: 3, duplicates_changed: 3 },
    ],
    owners,
  };
  let runs = 0;
  const inAnyOrder = (statements?: GuardingStatements) =>
    fc.asyncProperty(
      fc.shuffledSubarray([...told('').keys()], { minLength: told('').length }),
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
      async (order, batchSizes) => {
        const tenant = `takeover-${(runs += 1)}`;
        const facts = told(tenant);
        await run(
          tenant,
          order.map((index) => facts[index] as Fact),
          batchSizes,
          statements,
        );
        expect(await countsOf(tenant)).toEqual(exact);
      },
    );

  test('go to the event that dedup named, or that was alive when they came, whatever is told first', async () => {
    await fc.assert(inAnyOrder(), { numRuns: 60 });
  });

  test('would not, if those that came before their event were left where they are', async () => {
    const adoptEarlyDuplicates = { ...intact.adoptEarlyDuplicates, name: 'adopt-nothing', text: nothingAdopted };
    const { failed, errorInstance } = await fc.check(inAnyOrder({ ...intact, adoptEarlyDuplicates }), {
      numRuns: 20,
      endOnFailure: true,
    });
    expect(failed).toBe(true);
    expect(String(errorInstance)).toContain('duplicates');
  });
});

test('an event that nothing changes keeps its updated_at: pollers are not shown it again', async () => {
  const tenant = 'unchanged';
  const facts = history(tenant);
  await project(postgres, facts);
  const versions = () => postgres.query('SELECT id, updated_at FROM events WHERE tenant = $1 ORDER BY id', [tenant]);
  const before = await versions();
  await project(postgres, facts);
  await project(postgres, facts.slice(10).reverse());
  expect(await versions()).toEqual(before);

  await project(postgres, [outcomeFact({ tenant, eventId: 'waiting' }, 'ep_ccc', 1, 'delivered')]);
  const after = await versions();
  expect(after.filter((row, index) => JSON.stringify(row) !== JSON.stringify(before[index]))).toMatchObject([
    { id: 'waiting' },
  ]);
});
