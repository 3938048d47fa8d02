/** A tenant whose rows are locked waits alone. */
import { createManualClock, silentLogger } from '#lib/runtime';
import { readItem, type Item } from '../../../services/dedup/item.ts';
import { createSettleApart } from '../../../services/dedup/settle-apart.ts';
import { recordOf, type TestRecord } from './records.ts';
import { createWorker, createWorld, never, refuse, topics, type Worker, type World } from './world.ts';

let world: World;
let worker: Worker;
beforeEach(() => {
  world = createWorld();
  worker = createWorker(world);
});

const given = (offset: number, tenant: string, more: Partial<Parameters<typeof recordOf>[0]> = {}): TestRecord =>
  recordOf({ id: `id ${offset}`, offset, tenant, ...more });
const offsets = (): number[] => world.kafka.events().map(({ origin }) => Number(origin.split('-').at(-1)));
const areDone = (records: readonly TestRecord[]): boolean[] => records.map((record) => record.isDone());

it('the others of its batch are published at once, and the partition goes on', async () => {
  world.table.locked.add('t');
  const records = [given(1, 't'), given(2, 'u'), given(3, 't'), given(4, 'v')];
  await worker.handle(records, never);
  expect(offsets()).toEqual([2, 4]);
  expect(areDone(records)).toEqual([false, true, false, true]);

  world.table.locked.clear();
  await world.clock.advance(2_000);
  await worker.completed();
  expect(offsets()).toEqual([2, 4, 1, 3]);
  expect(areDone(records)).toEqual([true, true, true, true]);
});

it('its later records queue up behind the first, though the lock is given back: they stay in order', async () => {
  world.table.locked.add('t');
  const ordered = (offset: number) => given(offset, 't', { orderingKey: 'customer-7' });
  await worker.handle([ordered(1), ordered(2)], never);
  world.table.locked.clear();
  await worker.handle([ordered(3), given(4, 'u')], never);
  expect(offsets()).toEqual([4]);
  await world.clock.advance(2_000);
  expect(offsets()).toEqual([4, 1, 2, 3]);
  await worker.handle([ordered(5)], never);
  expect(offsets()).toEqual([4, 1, 2, 3, 5]);
});

it('others do not try its lock again', async () => {
  world.table.locked.add('t');
  await worker.handle([given(1, 't'), given(2, 'u')], never);
  world.table.calls.length = 0;
  await worker.handle([given(3, 't'), given(4, 'u')], never);
  expect(world.table.calls).toEqual(['insert', 'complete']);
});

it('records of a lost partition are dropped, and come again to its next owner', async () => {
  world.table.locked.add('t');
  const lost = new AbortController();
  const [theirs, ours] = [given(1, 't', { partition: 1, signal: lost.signal }), given(2, 't')];
  await worker.handle([theirs, ours], never);
  lost.abort();
  world.table.locked.clear();
  await world.clock.advance(2_000);
  await worker.completed();
  expect(world.kafka.events().map(({ origin }) => origin)).toEqual([`${topics['webhooks.received']}-0-2`]);
  expect(areDone([theirs, ours])).toEqual([false, true]);
});

it('a record that fails on its data, among them, is set aside like any other', async () => {
  world.table.locked.add('t');
  const records = [given(1, 't'), given(2, 't')];
  await worker.handle(records, never);
  world.table.locked.clear();
  world.table.refuses = ({ origin }) => origin.endsWith('-1');
  await world.clock.advance(2_000);
  expect(offsets()).toEqual([2]);
  await world.clock.advance(60_000);
  await worker.idle();
  expect(world.kafka.deadLetters()).toMatchObject([{ reason: 'data_invalid', attempts: 3 }]);
  expect(areDone(records)).toEqual([true, true]);
});

it('a record that failed on its data uses up no try while its tenant is waited for', async () => {
  world.kafka.beforeSend = ({ topic }) => void (topic === topics.events && refuse());
  const record = given(1, 't');
  await worker.handle([record], never);
  world.kafka.beforeSend = () => undefined;
  world.table.locked.add('t');
  await world.clock.advance(3_600_000);
  expect([world.kafka.deadLetters(), record.isDone()]).toEqual([[], false]);
  world.table.locked.clear();
  await world.clock.advance(10_000);
  await worker.idle();
  expect([offsets(), record.isDone()]).toEqual([[1], true]);
});

it('when as much is set aside as may be, the partition waits', async () => {
  const clock = createManualClock();
  let isLocked = true;
  const apart = createSettleApart({
    settle: async (items) => ({ culprits: [], locked: isLocked ? [...items] : [] }),
    takeCulprits: async () => undefined,
    limits: { maxItems: 2, maxBytes: 1e6, maxAtOnce: 10 },
    clock,
    random: () => 0,
    log: silentLogger,
    fail: (error) => expect(error).toBeUndefined(),
  });
  const items = await Promise.all([1, 2].map((offset) => readItem(given(offset, 't')) as Promise<Item>));
  let hasReturned = false;
  const settled = apart.settle(items, never).then(() => (hasReturned = true));
  await clock.advance(60_000);
  expect(hasReturned).toBe(false);
  isLocked = false;
  await clock.advance(2_000);
  await settled;
});
