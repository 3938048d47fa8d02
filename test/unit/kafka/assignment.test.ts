import { createManualClock } from '#lib/runtime';
import { createAssignment } from '../../../libs/kafka/consuming/assignment.ts';
import { createHandlerCalls, type HandlerCalls } from '../../../libs/kafka/consuming/handler-calls.ts';
import { createPartitionWorker } from '../../../libs/kafka/consuming/partition-worker.ts';
import { messages, settle } from './fixtures.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

const refs = (...partitions: number[]) => partitions.map((partition) => ({ topic: 't', partition }));
const numbers = (workers: readonly { partition: number }[]): number[] => workers.map(({ partition }) => partition);

function setUp() {
  const returns: (() => void)[] = [];
  let calls = 0;
  const limits = {
    maxQueuedRecords: 9,
    maxQueuedBytes: 9_999,
    maxOutstanding: 9,
    maxOutstandingBytes: 9_999,
    maxSpan: 9_999,
    maxBatchBytes: 1_000_000,
  };
  const assignment = createAssignment((ref, after) =>
    createPartitionWorker({
      ...ref,
      limits,
      after,
      onReady: () => handlerCalls.wake(),
      onWantsMore: () => undefined,
      onCommittable: () => undefined,
      onIdle: () => undefined,
    }),
  );
  const handlerCalls: HandlerCalls = createHandlerCalls({
    onUndecodable: noneUndecodable,
    workers: assignment.workers,
    handle: () => {
      calls += 1;
      return new Promise((resolve) => returns.push(resolve));
    },
    limits: { maxCalls: 9, maxPartitions: 9, maxBatchRecords: 9, maxBatchBytes: 9_999 },
    clock: createManualClock(),
    onFailure: () => undefined,
  });
  return { assignment, returns, calls: () => calls };
}

test('a join keeps the workers of kept partitions, drops those of lost ones, and makes new ones for the gained', () => {
  const { assignment } = setUp();
  assignment.replace(refs(0, 1, 2), true);
  const kept = assignment.get('t', 1);
  const { lost, gained } = assignment.replace(refs(1, 3), true);
  expect([numbers(lost).sort(), numbers(gained)]).toEqual([[0, 2], [3]]);
  expect(lost.map((worker) => worker.state())).toEqual(['dropped', 'dropped']);
  expect(assignment.get('t', 1)).toBe(kept);
  expect(numbers(assignment.workers()).sort()).toEqual([1, 3]);
});

test('a join after a generation that we may have missed starts every partition anew', () => {
  const { assignment } = setUp();
  assignment.replace(refs(0, 1), true);
  const before = assignment.get('t', 1);
  const { lost, gained } = assignment.replace(refs(0, 1), false);
  expect([numbers(lost), numbers(gained)]).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(before?.state()).toBe('dropped');
  expect(assignment.get('t', 1)?.state()).toBe('locating');
});

test('a partition that comes back is not handled before its former handler has returned', async () => {
  const { assignment, returns, calls } = setUp();
  const [first] = assignment.replace(refs(0), true).gained;
  first?.open(0n);
  first?.receive(messages(0, 1));
  await settle();
  expect(calls()).toBe(1);
  assignment.replace([], true);
  assignment.replace(refs(0), true);
  assignment.replace([], true);
  const [third] = assignment.replace(refs(0), true).gained;
  third?.open(0n);
  third?.receive(messages(0, 1));
  await settle();
  expect(calls()).toBe(1);
  returns[0]?.();
  await settle();
  await settle();
  expect(calls()).toBe(2);
});
