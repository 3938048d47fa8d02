import { callHandler } from './call-handler.ts';
import { settle } from './fixtures.ts';

test('what the partitions have comes in one call, those of each in order', async () => {
  const { calls, receive, placesOf } = callHandler(3);
  await receive({ 0: 2, 1: 1, 2: 2 });
  expect(calls.map(placesOf)).toEqual([['0:0', '0:1', '1:0', '2:0', '2:1']]);
});

test('a partition is in one call at a time, and those that are in none do not wait', async () => {
  const { calls, receive, placesOf } = callHandler(3);
  await receive({ 0: 1, 1: 1 });
  await receive({ 0: 1, 2: 1 });
  expect(calls.map(placesOf)).toEqual([['0:0', '1:0'], ['2:0']]);
  await calls[0]?.end();
  expect(placesOf(calls[2])).toEqual(['0:1']);
});

test('so many calls are under way at once, and what comes meanwhile is taken together', async () => {
  const { calls, receive, placesOf } = callHandler(5);
  await receive({ 0: 1 });
  await receive({ 1: 1 });
  await receive({ 2: 1 });
  await receive({ 3: 2, 4: 1 });
  expect(calls).toHaveLength(2);
  await calls[1]?.end();
  expect(placesOf(calls[2])).toEqual(['2:0', '3:0', '3:1', '4:0']);
});

test('a call that takes long holds up its own partitions alone', async () => {
  const { clock, calls, receive, placesOf } = callHandler(4);
  await receive({ 0: 1 });
  await receive({ 1: 1 });
  await receive({ 0: 1, 2: 1 });
  await clock.advance(999);
  expect(calls).toHaveLength(2);
  await clock.advance(1);
  await settle();
  expect(calls.slice(2).map(placesOf)).toEqual([['2:0']]);
  await receive({ 3: 1 });
  expect(placesOf(calls[3])).toEqual(['3:0']);
});

test('a call may be of one partition alone', async () => {
  const { calls, receive, placesOf } = callHandler(3, { maxPartitions: 1, maxCalls: Number.POSITIVE_INFINITY });
  await receive({ 0: 2, 1: 1, 2: 1 });
  expect(calls.map(placesOf).sort()).toEqual([['0:0', '0:1'], ['1:0'], ['2:0']]);
});

test('a call has so many records, and a partition that has much leaves room for the others', async () => {
  const { calls, receive, placesOf } = callHandler(3, { maxBatchRecords: 9 });
  await receive({ 0: 100, 1: 100, 2: 1 });
  const first = calls[0]?.records ?? [];
  const of = (partition: number) => first.filter((record) => record.partition === partition).length;
  expect(first.length).toBeLessThanOrEqual(9);
  expect([of(0) > 1, of(1) > 1, of(2)]).toEqual([true, true, 1]);
  for (let i = 0; i < calls.length; i += 1) await calls[i]?.end();
  const all = calls.flatMap(placesOf);
  expect(new Set(all).size).toBe(201);
  const orderOf = (partition: number) =>
    calls.flatMap(({ records }) =>
      records.filter((record) => record.partition === partition).map(({ offset }) => offset),
    );
  expect(orderOf(0)).toEqual(Array.from({ length: 100 }, (_, i) => BigInt(i)));
});

test('a record that is larger than a call may be comes alone', async () => {
  const { calls, receive, placesOf } = callHandler(2, { maxBatchBytes: 10 });
  await receive({ 0: 2 });
  expect(calls.map(placesOf)).toEqual([['0:0']]);
});

test('the signal of a call aborts once all of its partitions are lost, that of a record with its own', async () => {
  const { calls, workers, receive } = callHandler(2);
  await receive({ 0: 1, 1: 1 });
  const [call] = calls;
  const signalOf = (partition: number) => call?.records.find((record) => record.partition === partition)?.signal;
  workers[0]?.drop();
  expect([signalOf(0)?.aborted, signalOf(1)?.aborted, call?.signal.aborted]).toEqual([true, false, false]);
  workers[1]?.drop();
  expect(call?.signal.aborted).toBe(true);
});

test('a handler that throws fails the consumer, and gets nothing more of these partitions', async () => {
  const { calls, failures, receive, placesOf } = callHandler(2);
  await receive({ 0: 1 });
  const thrown = new TypeError('fetch failed');
  await calls[0]?.end(thrown);
  expect(failures).toEqual([thrown]);
  await receive({ 0: 1, 1: 1 });
  expect(placesOf(calls[1])).toEqual(['1:0']);
});

test('what a handler throws after all of its partitions are lost says nothing', async () => {
  const { calls, failures, workers, receive } = callHandler(1);
  await receive({ 0: 1 });
  workers[0]?.drop();
  await calls[0]?.end(new Error('aborted'));
  await workers[0]?.returned();
  expect(failures).toEqual([]);
});
