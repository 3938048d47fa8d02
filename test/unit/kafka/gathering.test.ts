import type { IncomingRecord } from '#lib/kafka';
import type { CallLimits } from '../../../libs/kafka/consuming/handler-calls.ts';
import { callHandler, workLimits } from './call-handler.ts';
import { settle } from './fixtures.ts';

const maxMs = 400;

/** Partitions whose records are held back, but for the first of all, which came before the test begins. */
async function gather(
  partitions: number,
  { isAwaited = async () => false, ...more }: { isAwaited?: (record: IncomingRecord) => Promise<boolean> } = {},
  given: Partial<CallLimits> = {},
) {
  const world = callHandler(partitions, given, { ...more, gathering: { maxMs, isAwaited } });
  await world.receive({ 0: 1 });
  await world.calls[0]?.end();
  const later = async (ms: number): Promise<void> => {
    await world.clock.advance(ms);
    await settle();
  };
  return { ...world, later, handedOut: () => world.calls.slice(1).map(world.placesOf) };
}

test('records are handed out together when the oldest is so old, and need no further record for that', async () => {
  const { receive, later, handedOut } = await gather(2);
  await receive({ 0: 1 });
  await later(maxMs - 100);
  await receive({ 0: 1, 1: 2 });
  await later(99);
  expect(handedOut()).toEqual([]);
  await later(1);
  expect(handedOut()).toEqual([['0:1', '0:2', '1:0', '1:1']]);
});

test('a record that comes after quiet waits for none', async () => {
  const { receive, later, handedOut } = await gather(2);
  await later(1_000);
  await receive({ 1: 1 });
  expect(handedOut()).toEqual([['1:0']]);
});

test('a record that somebody waits for is handed out at once, with all others', async () => {
  const isAwaited = async ({ partition, offset }: IncomingRecord) => partition === 1 && offset === 1n;
  const { receive, handedOut } = await gather(3, { isAwaited });
  await receive({ 0: 1, 1: 1 });
  expect(handedOut()).toEqual([]);
  await receive({ 1: 1, 2: 1 });
  await settle();
  expect(handedOut()).toEqual([['0:1', '1:0', '1:1', '2:0']]);
});

test('a record that somebody waits for and comes during a call of its partition is handed out when that returns', async () => {
  const isAwaited = async ({ offset }: IncomingRecord) => offset === 2n;
  const { calls, receive, later, handedOut } = await gather(1, { isAwaited });
  await receive({ 0: 1 });
  await later(maxMs);
  await receive({ 0: 1 });
  await calls[1]?.end();
  await settle();
  expect(handedOut()).toEqual([['0:1'], ['0:2']]);
});

test('each record is asked about once, in order, while it is held back', async () => {
  const asked: string[] = [];
  const isAwaited = async ({ partition, offset }: IncomingRecord) => asked.push(`${partition}:${offset}`) < 0;
  const { receive, later } = await gather(2, { isAwaited });
  await receive({ 0: 2 });
  await receive({ 0: 1, 1: 1 });
  await later(maxMs);
  expect(asked).toEqual(['0:1', '0:2', '0:3', '1:0']);
});

test('the end of gathering concerns all that is queued then, and nothing that comes later', async () => {
  const { receive, handOut, handedOut } = await gather(2);
  await receive({ 0: 1, 1: 1 });
  handOut();
  await settle();
  expect(handedOut()).toEqual([['0:1', '1:0']]);
  await receive({ 1: 1 });
  expect(handedOut()).toHaveLength(1);
});

test('as much as a call takes waits for nobody, in records or bytes', async () => {
  const { receive, handedOut } = await gather(2, {}, { maxBatchRecords: 3 });
  await receive({ 0: 1, 1: 1 });
  expect(handedOut()).toEqual([]);
  await receive({ 0: 1 });
  expect(handedOut()).toEqual([['0:1', '0:2', '1:0']]);

  const large = await gather(2, {}, { maxBatchBytes: 1 });
  await large.receive({ 1: 1 });
  expect(large.handedOut()).toEqual([['1:0']]);
});

test('a partition whose queue is full, and so is not fetched, waits for nobody', async () => {
  const world = callHandler(
    2,
    {},
    { gathering: { maxMs, isAwaited: async () => false }, limits: { ...workLimits, maxQueuedRecords: 3 } },
  );
  await world.receive({ 1: 1 });
  await world.calls[0]?.end();
  await world.receive({ 0: 2 });
  expect(world.calls).toHaveLength(1);
  await world.receive({ 0: 1 });
  expect(world.calls.slice(1).map(world.placesOf)).toEqual([['0:0', '0:1', '0:2']]);
});

test('the time of a call counts into the age of what came meanwhile', async () => {
  const { calls, receive, later, handedOut } = await gather(1);
  await receive({ 0: 1 });
  await later(maxMs);
  await receive({ 0: 1 });
  await later(maxMs);
  expect(handedOut()).toEqual([['0:1']]);
  await calls[1]?.end();
  expect(handedOut()).toEqual([['0:1'], ['0:2']]);
});

test('a partition that is held, or lost, hands nothing out when the time is up, and loses nothing of its order', async () => {
  const { workers, receive, later, handedOut } = await gather(3);
  await receive({ 0: 1, 1: 1, 2: 1 });
  workers[0]?.hold();
  workers[1]?.drop();
  await later(maxMs);
  expect(handedOut()).toEqual([['2:0']]);
  workers[0]?.release();
  await settle();
  expect(handedOut()).toEqual([['2:0'], ['0:1']]);
});
