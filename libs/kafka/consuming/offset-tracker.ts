/**
 * Which records of one partition are done, and how far that allows a commit. Records are received in offset order and done in any;
 * offsets may have gaps (a log has holes where it was compacted, or where a transaction ended).
 */
export interface OffsetTracker {
  /** The next record must not be below this; lower ones were received before. */
  nextOffset(): bigint;
  /** @param writtenAtMs when the record was written, in milliseconds since the epoch */
  receive(offset: bigint, writtenAtMs: number): TrackedOffset;
  /** The records from `nextOffset` up to this will never come. */
  skipTo(offset: bigint): void;
  /** The offset to commit: every record below it is done. */
  position(): bigint;
  /** When the record of the lowest offset that is not done was written; undefined without one. */
  oldestOpenAtMs(): number | undefined;
  /** Received and not done. */
  open(): number;
  /** Received since the oldest that is not done, that one included: as many are kept in memory, and read again after a crash. */
  span(): number;
}

export interface TrackedOffset {
  done(): void;
}

interface Entry extends TrackedOffset {
  offset: bigint;
  writtenAtMs: number;
  isDone: boolean;
}

// Finished entries are cut off in lots, so that finishing one costs the same however many are open.
const cutAt = 1024;

export function createOffsetTracker(startOffset: bigint): OffsetTracker {
  let entries: Entry[] = [];
  /** Entries before this index are done. */
  let head = 0;
  let next = startOffset;
  let open = 0;

  function advance(): void {
    while (entries[head]?.isDone === true) head += 1;
    if (head < cutAt) return;
    entries = entries.slice(head);
    head = 0;
  }

  return {
    nextOffset: () => next,
    receive(offset, writtenAtMs) {
      const entry: Entry = {
        offset,
        writtenAtMs,
        isDone: false,
        done() {
          if (entry.isDone) return;
          entry.isDone = true;
          open -= 1;
          if (entry === entries[head]) advance();
        },
      };
      entries.push(entry);
      next = offset + 1n;
      open += 1;
      return entry;
    },
    skipTo(offset) {
      next = offset;
    },
    position: () => entries[head]?.offset ?? next,
    oldestOpenAtMs: () => entries[head]?.writtenAtMs,
    open: () => open,
    span: () => entries.length - head,
  };
}
