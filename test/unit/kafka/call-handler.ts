import type { IncomingRecord } from '#lib/kafka';
import { createManualClock } from '#lib/runtime';
import { type CallLimits, createHandlerCalls, type HandlerCalls } from '../../../libs/kafka/consuming/handler-calls.ts';
import type { GatheringOptions } from '../../../libs/kafka/consuming/gathering.ts';
import { createPartitionWorker, type WorkLimits } from '../../../libs/kafka/consuming/partition-worker.ts';
import { messages, settle } from './fixtures.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

export const workLimits: WorkLimits = {
  maxQueuedRecords: 1_000,
  maxQueuedBytes: 1e9,
  maxOutstanding: 1_000,
  maxOutstandingBytes: 1e9,
  maxSpan: 1e6,
  maxBatchBytes: 1_000_000,
};

interface Call {
  records: readonly IncomingRecord[];
  signal: AbortSignal;
  end(error?: Error): Promise<void>;
}

/** So many partitions, with a handler that returns when the test says so. */
export function callHandler(
  partitions: number,
  given: Partial<CallLimits> = {},
  { gathering, limits = workLimits }: { gathering?: GatheringOptions; limits?: WorkLimits } = {},
) {
  const calls: Call[] = [];
  const failures: unknown[] = [];
  const clock = createManualClock();
  const workers = Array.from({ length: partitions }, (_, partition) =>
    createPartitionWorker({
      topic: 't',
      partition,
      limits,
      after: Promise.resolve(),
      onReady: () => handlerCalls.wake(),
      onWantsMore: () => undefined,
      onCommittable: () => undefined,
      onIdle: () => undefined,
    }),
  );
  const handlerCalls: HandlerCalls = createHandlerCalls({
    onUndecodable: noneUndecodable,
    workers: () => workers,
    handle(records, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const end = async (error?: Error): Promise<void> => {
        if (error === undefined) resolve();
        else reject(error);
        await settle();
        await settle();
      };
      calls.push({ records, signal, end });
      return promise;
    },
    limits: { maxCalls: 2, maxPartitions: 100, maxBatchRecords: 500, maxBatchBytes: 1e9, ...given },
    gathering,
    clock,
    onFailure: (error) => failures.push(error),
  });
  for (const worker of workers) worker.open(0n);
  const receive = async (counts: Record<number, number>): Promise<void> => {
    for (const [partition, count] of Object.entries(counts)) {
      const worker = workers[Number(partition)];
      const next = Number(worker?.nextOffset());
      worker?.receive(messages(next, next + count));
    }
    await settle();
  };
  const placesOf = (call: Call | undefined): string[] =>
    (call?.records ?? []).map(({ partition, offset }) => `${partition}:${offset}`).sort();
  return { clock, workers, calls, failures, receive, placesOf, handOut: handlerCalls.handOut };
}
