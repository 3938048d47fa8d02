import type { PartitionRef } from '#lib/kafka';
import type { Clock } from '#lib/runtime';

/** The partitions of `deliveries` that this process owns, each with a signal that aborts when it is lost. */
export interface OwnedPartitions {
  assigned(partitions: readonly PartitionRef[]): void;
  revoked(partitions: readonly PartitionRef[]): void;
  /** The partition is read from this offset on. */
  opened(partition: PartitionRef, startOffset: bigint): void;
  /** Its first records since then have arrived; `endOffset` is the offset of the next record to be written. */
  firstRead(partition: PartitionRef, endOffset: bigint): void;
  /** All its records below this offset are in lanes or rows, or have ended. */
  markTakenBelow(partition: number, offset: bigint, signal: AbortSignal): void;
  /** Whether the record at this offset is among them. */
  hasTaken(partition: number, offset: bigint): boolean;
  numbers(): number[];
  signalOf(partition: number): AbortSignal | undefined;
  /**
   * Whether an earlier owner may have had the record at this offset: it was there when we began to read, or was created (in microseconds) while
   * an owner that had not heard of its loss may still have worked. The time alone would not do: the clock that it was taken from may be wrong.
   */
  mayHaveHadAnother(partition: number, offset: bigint, createdAt: number): boolean;
}

/** How far the clocks of two hosts may be apart. */
const clockSkewMs = 60_000;

export function createOwnedPartitions(clock: Clock): OwnedPartitions {
  const owned = new Map<
    number,
    { lost: AbortController; sinceMs: number; takenUpTo: bigint; endAtFirstRead: bigint }
  >();

  function release(partition: number): void {
    owned.get(partition)?.lost.abort();
    owned.delete(partition);
  }

  return {
    assigned(partitions) {
      for (const { partition } of partitions) {
        // Assigned again: records read under the old assignment are not ours any more.
        release(partition);
        owned.set(partition, {
          lost: new AbortController(),
          sinceMs: clock.nowMs(),
          takenUpTo: 0n,
          endAtFirstRead: 0n,
        });
      }
    },
    opened({ partition }, startOffset) {
      const entry = owned.get(partition);
      if (entry !== undefined) entry.takenUpTo = startOffset;
    },
    firstRead({ partition }, endOffset) {
      const entry = owned.get(partition);
      if (entry !== undefined) entry.endAtFirstRead = endOffset;
    },
    markTakenBelow(partition, offset, signal) {
      const entry = owned.get(partition);
      if (entry !== undefined && !signal.aborted && offset > entry.takenUpTo) entry.takenUpTo = offset;
    },
    hasTaken: (partition, offset) => offset < (owned.get(partition)?.takenUpTo ?? 0n),
    revoked: (partitions) => partitions.forEach(({ partition }) => release(partition)),
    numbers: () => [...owned.keys()],
    signalOf: (partition) => owned.get(partition)?.lost.signal,
    mayHaveHadAnother(partition, offset, createdAt) {
      const entry = owned.get(partition);
      return entry === undefined || offset < entry.endAtFirstRead || createdAt / 1_000 < entry.sinceMs + clockSkewMs;
    },
  };
}
