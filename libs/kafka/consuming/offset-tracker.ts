/**
 * Which records of one partition are done, and how far that allows a commit. Records are received in offset order and done in any;
 * offsets may have gaps (a log has holes where it was compacted, or where a transaction ended).
 *
 * It keeps numbers, not the records: many may be done, and long since given up by their handlers, behind one that is not.
 */
export interface OffsetTracker {
  /** The next record must not be below this; lower ones were received before. */
  nextOffset(): bigint;
  /**
   * @param writtenAtMs when the record was written, in milliseconds since the epoch
   * @returns its ticket, for `done`
   */
  receive(offset: bigint, writtenAtMs: number): number;
  /** @returns false if it was done before */
  done(ticket: number): boolean;
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

// Finished records are cut off in lots, so that finishing one costs the same however many are open.
const cutAt = 1024;

export function createOffsetTracker(startOffset: bigint): OffsetTracker {
  /** By ticket, the first of them being `firstTicket`. */
  let offsets: bigint[] = [];
  let times: number[] = [];
  let isDone: boolean[] = [];
  let firstTicket = 0;
  /** Records before this index are done. */
  let head = 0;
  let last = startOffset - 1n;
  let open = 0;

  function advance(): void {
    while (isDone[head] === true) head += 1;
    if (head < cutAt) return;
    offsets = offsets.slice(head);
    times = times.slice(head);
    isDone = isDone.slice(head);
    firstTicket += head;
    head = 0;
  }

  return {
    nextOffset: () => last + 1n,
    receive(offset, writtenAtMs) {
      offsets.push(offset);
      times.push(writtenAtMs);
      last = offset;
      open += 1;
      return firstTicket + isDone.push(false) - 1;
    },
    done(ticket) {
      const index = ticket - firstTicket;
      // One that was cut off is done.
      if (isDone[index] !== false) return false;
      isDone[index] = true;
      open -= 1;
      if (index === head) advance();
      return true;
    },
    skipTo(offset) {
      last = offset - 1n;
    },
    position: () => offsets[head] ?? last + 1n,
    oldestOpenAtMs: () => times[head],
    open: () => open,
    span: () => offsets.length - head,
  };
}
