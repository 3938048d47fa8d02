/**
 * Holds records back until enough of them have come together, for a consumer that nobody waits for:
 *
 *   nothing queued ──a record──► gathering ──► due: handed out, and all that is queued with it
 *                                   └─ due is: first after quiet · the oldest was received `maxMs` ago · as much as one call takes · a queue
 *                                      is full · a record that somebody waits for, or `handOut`
 *
 * Each record's age counts from when it was received, so a call of the handler that takes long adds nothing to it. Gathering
 * delays the handler alone: queues, offsets, rebalances and stops are as without it. One timer at most is set, and none while
 * nothing is queued.
 */
import type { Clock } from '#lib/runtime';
import type { IncomingRecord } from '../port.ts';
import { ConsumedRecord } from './consumed-record.ts';
import type { CallLimits } from './handler-calls.ts';
import type { PartitionWorker } from './partition-worker.ts';

export interface GatheringOptions {
  /** The longest that a record is held back. */
  maxMs: number;
  /** Asked once about each record that is held back, in order: whether somebody waits for it. Must not throw or reject. */
  isAwaited(record: IncomingRecord): Promise<boolean>;
}

export interface Gathering {
  /** Whether records of these partitions, which may hand some out, are to be handed out now. If not, `wake` is called when they are. */
  isDue(ready: readonly PartitionWorker[]): boolean;
  /** A call has taken records of this partition. */
  handedOut(worker: PartitionWorker): void;
  /** Everything that is queued now is due. */
  endNow(): void;
}

interface Options extends GatheringOptions {
  workers(): readonly PartitionWorker[];
  limits: Pick<CallLimits, 'maxBatchRecords' | 'maxBatchBytes'>;
  clock: Clock;
  wake(): void;
}

/** The records that a partition holds back. */
interface Held {
  /** When the oldest record was received, by the monotonic clock. */
  sinceMs: number;
  isDue: boolean;
}

/** Records that come after so long without any wait for nothing. */
const quietMs = 1_000;

export function createGathering({ workers, limits, clock, wake, maxMs, isAwaited }: Options): Gathering {
  const held = new WeakMap<PartitionWorker, Held>();
  /** The offset up to which a partition's records were asked about. */
  const askedTo = new WeakMap<PartitionWorker, bigint>();
  let handedOutAtMs = Number.NEGATIVE_INFINITY;
  let isTimed = false;

  function endNow(): void {
    notice();
    for (const worker of workers()) {
      const of = held.get(worker);
      if (of !== undefined) of.isDue = true;
    }
    wake();
  }

  /** Called with each turn of the loop in which something was received. */
  function notice(): void {
    const nowMs = clock.monotonicMs();
    for (const worker of workers())
      if (worker.queued().records.length > 0 && !held.has(worker)) held.set(worker, { sinceMs: nowMs, isDue: false });
  }

  function hasEnough(ready: readonly PartitionWorker[]): boolean {
    let [records, bytes] = [0, 0];
    for (const worker of ready) {
      if (!worker.wantsMore()) return true;
      const queued = worker.queued();
      records += queued.records.length;
      bytes += queued.bytes;
    }
    return records >= limits.maxBatchRecords || bytes >= limits.maxBatchBytes;
  }

  function ask(worker: PartitionWorker): void {
    const from = askedTo.get(worker) ?? -1n;
    for (const record of worker.queued().records) {
      if (!(record instanceof ConsumedRecord) || record.offset <= from) continue;
      askedTo.set(worker, record.offset);
      void isAwaited(record).then((isIt) => isIt && !record.signal.aborted && endNow());
    }
  }

  async function wakeIn(ms: number): Promise<void> {
    isTimed = true;
    await clock.sleep(ms);
    isTimed = false;
    wake();
  }

  return {
    isDue(ready) {
      notice();
      const of = ready.flatMap((worker) => held.get(worker) ?? []);
      if (of.length === 0) return false;
      const sinceMs = Math.min(...of.map((each) => each.sinceMs));
      const leftMs = sinceMs + maxMs - clock.monotonicMs();
      const isFirst = sinceMs - handedOutAtMs >= quietMs;
      if (isFirst || leftMs <= 0 || of.some(({ isDue }) => isDue) || hasEnough(ready)) return true;
      ready.forEach(ask);
      if (!isTimed) void wakeIn(leftMs);
      return false;
    },
    handedOut(worker) {
      handedOutAtMs = clock.monotonicMs();
      if (worker.queued().records.length === 0) held.delete(worker);
    },
    endNow,
  };
}
