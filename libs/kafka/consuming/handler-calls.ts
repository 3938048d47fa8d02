/**
 * Calls the handler with the partitions' records. A call takes records of all partitions that have some and are in no other call, because waking
 * a process costs more than a record: records fetched together come to the handler together.
 *
 *   a partition has something ──end of this turn of the loop──► call ──returns──► those that have something meanwhile, again
 *
 * It guarantees that a partition is in one call at a time, so that its records come in order. A call's records and bytes are bounded, and its
 * partitions take turns, so that a partition with many records does not fill it alone. Few calls are under way at once, so that records that
 * come meanwhile come together. A call that takes long, because it waits for something, is not counted: it delays its own partitions alone.
 */
import type { Clock } from '#lib/runtime';
import type { RecordHandler, UndecodableBatchHandler } from '../port.ts';
import { ConsumedBatch } from './consumed-batch.ts';
import { ConsumedRecord } from './consumed-record.ts';
import { createGathering, type GatheringOptions } from './gathering.ts';
import type { Consumed, PartitionWorker } from './partition-worker.ts';
import { whenAllAborted } from './when-all-aborted.ts';

export interface CallLimits {
  /** Calls under way at once, beside those that take long. */
  maxCalls: number;
  /** Partitions of one call. */
  maxPartitions: number;
  /** Records of one call. */
  maxBatchRecords: number;
  /** The same in bytes; a larger record comes alone. */
  maxBatchBytes: number;
}

export interface HandlerCalls {
  /** A partition may have something to hand out now. */
  wake(): void;
  /** Holds nothing back any longer of what is queued. */
  handOut(): void;
}

interface Options {
  workers(): readonly PartitionWorker[];
  handle: RecordHandler;
  /** For batches that can't be decoded, in their turn. */
  onUndecodable: UndecodableBatchHandler;
  limits: CallLimits;
  /** Default: nothing is held back. */
  gathering?: GatheringOptions | undefined;
  clock: Clock;
  /** The handler threw, and not because its signal aborted. It is called no more for these partitions. */
  onFailure(error: unknown): void;
}

/** A call that takes longer waits for something. */
const longMs = 1_000;

export function createHandlerCalls({ workers, limits, clock, onFailure, ...handlers }: Options): HandlerCalls {
  /** When those under way began, by the monotonic clock. */
  const calls = new Set<{ sinceMs: number }>();
  let isAwake = false;
  let isWaiting = false;
  /** Rotates which partition comes first. */
  let turn = 0;
  const gathering = handlers.gathering && createGathering({ ...handlers.gathering, workers, limits, clock, wake });

  function wake(): void {
    if (isAwake) return;
    isAwake = true;
    // By then the other batches of the same fetch have been received.
    setImmediate(() => {
      isAwake = false;
      while (isDue() && mayCall() && callOnce());
    });
  }

  const isDue = (): boolean => gathering === undefined || gathering.isDue(readyWorkers());

  function mayCall(): boolean {
    const nowMs = clock.monotonicMs();
    const recent = [...calls].filter(({ sinceMs }) => nowMs - sinceMs < longMs);
    if (recent.length < limits.maxCalls) return true;
    const oldestMs = Math.min(...recent.map(({ sinceMs }) => sinceMs));
    if (!isWaiting && hasWork()) void wakeIn(oldestMs + longMs - nowMs);
    return false;
  }

  async function wakeIn(ms: number): Promise<void> {
    isWaiting = true;
    await clock.sleep(ms);
    isWaiting = false;
    wake();
  }

  const readyWorkers = (): PartitionWorker[] => workers().filter((worker) => worker.mayHandOut());
  const hasWork = (): boolean => workers().some((worker) => worker.mayHandOut());

  /** @returns whether there was something to call it with */
  function callOnce(): boolean {
    const batch = takeBatch();
    if (batch.length === 0) return false;
    const begun = { sinceMs: clock.monotonicMs() };
    calls.add(begun);
    const records = batch.flatMap((each) => each.records);
    const { signal, forget } = whenAllAborted(batch.map(({ worker }) => worker.signal));
    const call = run(records, signal).then((hasFailed) => {
      forget();
      calls.delete(begun);
      for (const { worker } of batch) worker.returnedFrom(call, hasFailed);
      wake();
    });
    for (const { worker } of batch) worker.calledIn(call);
    return true;
  }

  /** @returns whether it has failed */
  async function run(consumed: readonly Consumed[], signal: AbortSignal): Promise<boolean> {
    const batches = consumed.filter((each) => each instanceof ConsumedBatch);
    const records = consumed.filter((each) => each instanceof ConsumedRecord);
    try {
      const handled = records.length > 0 && handlers.handle(records, signal);
      await Promise.all([handled, ...batches.map(keep)]);
      return false;
    } catch (error) {
      // Errors after an abort are expected.
      if (!signal.aborted) onFailure(error);
      return true;
    }
  }

  async function keep(batch: ConsumedBatch): Promise<void> {
    try {
      await handlers.onUndecodable(batch);
    } catch (error) {
      if (!batch.signal.aborted) throw error;
    }
  }

  function takeBatch(): { worker: PartitionWorker; records: Consumed[] }[] {
    const ready = readyWorkers();
    turn += 1;
    const batch: { worker: PartitionWorker; records: Consumed[] }[] = [];
    const room = { records: limits.maxBatchRecords, bytes: limits.maxBatchBytes };
    for (let left = ready.length; left > 0 && batch.length < limits.maxPartitions; left -= 1) {
      const worker = ready[(turn + left) % ready.length];
      // An equal share of the room that is left.
      const others = Math.min(left, limits.maxPartitions - batch.length);
      const share = { records: Math.ceil(room.records / others), bytes: Math.ceil(room.bytes / others) };
      const records = worker?.take(share, batch.length === 0) ?? [];
      if (worker === undefined || records.length === 0) continue;
      batch.push({ worker, records });
      gathering?.handedOut(worker);
      room.records -= records.length;
      room.bytes -= records.reduce((sum, { bytes }) => sum + bytes, 0);
    }
    return batch;
  }

  return { wake, handOut: () => gathering?.endNow() };
}
