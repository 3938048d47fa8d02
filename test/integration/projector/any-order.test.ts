/**
 * Four topics bring what the projector writes, each at its own pace, and anything may come again: whatever the order, and however it is
 * cut into batches, the same rows must stand there in the end.
 */
import fc from 'fast-check';
import type { Postgres } from '#lib/postgres';
import type { Fact } from '../../../services/projector/facts.ts';
import { duplicateFact, eventFact, fanOutFact, letterFact, outcomeFact } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, project, projectedRows } from './projection.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => closePostgres(postgres));

/** What dedup writes before it publishes the event: it owns the key from then on. */
interface Claim {
  kind: 'claim';
  tenant: string;
  eventId: string;
  key: string;
}

type Step = Fact | Claim;

/** An event's whole story. Duplicates name it, or an id that never lived: of a worker that died between its claim and its insert. */
function storyOf(tenant: string, eventId: string): Step[] {
  const named = { tenant, eventId };
  const key = `key of ${eventId}`;
  return [
    { kind: 'claim', tenant, eventId, key },
    eventFact(named),
    duplicateFact(named, { origin: `${eventId}-d1` }),
    duplicateFact(named, { origin: `${eventId}-d2`, changed: true }),
    duplicateFact({ tenant, eventId: `${eventId}-never` }, { origin: `${eventId}-d3`, key }),
  ];
}

const history = (tenant: string): Step[] => {
  const delivered = { tenant, eventId: 'delivered' };
  const failed = { tenant, eventId: 'failed' };
  const replayed = { tenant, eventId: 'replayed' };
  const waiting = { tenant, eventId: 'waiting' };
  const unmatched = { tenant, eventId: 'unmatched' };
  return [
    ...[delivered, failed, replayed, waiting, unmatched].flatMap(({ eventId }) => storyOf(tenant, eventId)),
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
    letterFact(tenant, 'failed-ep_bb'),
    fanOutFact(replayed, ['ep_a', 'ep_bb']),
    outcomeFact(replayed, 'ep_a', 1, 'dead_lettered'),
    outcomeFact(replayed, 'ep_bb', 1, 'delivered'),
    fanOutFact(replayed, ['ep_a'], 1),
    outcomeFact(replayed, 'ep_a', 1, 'delivered', { generation: 1 }),
    fanOutFact(waiting, ['ep_a', 'ep_bb', 'ep_ccc']),
    outcomeFact(waiting, 'ep_a', 1, 'retrying'),
    outcomeFact(waiting, 'ep_a', 2, 'retrying'),
    outcomeFact(waiting, 'ep_bb', 1, 'parked'),
  ];
};

const statuses = {
  delivered: 'completed',
  failed: 'dead_lettered',
  replayed: 'completed',
  unmatched: 'completed',
  waiting: 'processing',
};

async function run(tenant: string, steps: readonly Step[], batchSizes: readonly number[]): Promise<void> {
  let batch: Fact[] = [];
  let batches = 0;
  const flush = async (): Promise<void> => {
    await project(postgres, batch);
    batch = [];
    batches += 1;
  };
  for (const step of steps) {
    if (step.kind === 'claim') {
      await flush();
      await postgres.query(
        `INSERT INTO dedup_keys (tenant, key, origin, event_id, body_hash) VALUES ($1, $2, '', $3, '')`,
        [tenant, Buffer.from(step.key), step.eventId],
      );
    } else {
      batch.push(step);
      if (batch.length >= (batchSizes[batches % batchSizes.length] ?? 1)) await flush();
    }
  }
  await flush();
}

/** The order of one topic towards another is open, but nothing is published before its claim. */
function claimsFirst(steps: readonly Step[]): Step[] {
  const ordered = [...steps];
  for (const claim of steps.filter((step) => step.kind === 'claim')) {
    const published = ordered.findIndex((step) => step.kind === 'event' && step.event.id === claim.eventId);
    const claimed = ordered.indexOf(claim);
    if (claimed > published) {
      ordered.splice(claimed, 1);
      ordered.splice(published, 0, claim);
    }
  }
  return ordered;
}

test('whatever comes first, and again, the rows are the same in the end', async () => {
  const told = history('told');
  await run('told', told, [told.length]);
  const expected = await projectedRows(postgres, 'told');
  const shown = expected['events'] as { id: string; status: string; duplicates: number }[];
  expect(Object.fromEntries(shown.map(({ id, status }) => [id, status]))).toEqual(statuses);
  expect(shown.map(({ duplicates }) => duplicates)).toEqual([3, 3, 3, 3, 3]);
  expect(expected['waiting']).toMatchObject([
    { delivery_id: 'dlv_waiting_ep_a_0', state: 'retrying', step: 2, partition: 4 },
    { delivery_id: 'dlv_waiting_ep_bb_0', state: 'parked', step: 1, partition: 5 },
  ]);

  let runs = 0;
  const facts = [...told.keys()].filter((index) => told[index]?.kind !== 'claim');
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...told.keys()], { minLength: told.length }),
      fc.array(fc.constantFrom(...facts), { maxLength: 15 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
      async (order, again, batchSizes) => {
        const tenant = `run-${(runs += 1)}`;
        const steps = history(tenant);
        const at = (index: number): Step[] => steps.slice(index, index + 1);
        await run(tenant, [...claimsFirst(order.flatMap(at)), ...again.flatMap(at)], batchSizes);
        expect(await projectedRows(postgres, tenant)).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
}, 120_000);

test('an owner that took over an expired key does not get the duplicates of the one before', async () => {
  const steps = (tenant: string): { before: Fact; after: Fact; duplicate: Fact } => ({
    before: eventFact({ tenant, eventId: 'before' }, { dedup_key: Buffer.from('k') }),
    after: eventFact({ tenant, eventId: 'after' }, { dedup_key: Buffer.from('k') }),
    duplicate: duplicateFact({ tenant, eventId: 'before' }, { origin: 'd', key: 'k' }),
  });
  const orders = [
    ['before', 'after', 'duplicate'],
    ['before', 'duplicate', 'after'],
    ['after', 'duplicate', 'before'],
    ['duplicate', 'after', 'before'],
    ['duplicate', 'before', 'after'],
  ] as const;
  for (const [index, order] of orders.entries()) {
    const tenant = `takeover-${index}`;
    await postgres.query(
      `INSERT INTO dedup_keys (tenant, key, origin, event_id, body_hash) VALUES ($1, 'k', '', 'after', '')`,
      [tenant],
    );
    for (const step of order) await project(postgres, [steps(tenant)[step]]);
    const events = await postgres.query('SELECT id, duplicates FROM events WHERE tenant = $1 ORDER BY id', [tenant]);
    expect(events).toEqual([
      { id: 'after', duplicates: 0 },
      { id: 'before', duplicates: 1 },
    ]);
  }
});

test('an event that nothing changes keeps its updated_at: pollers are not shown it again', async () => {
  const tenant = 'unchanged';
  const facts = history(tenant).filter((step) => step.kind !== 'claim');
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
