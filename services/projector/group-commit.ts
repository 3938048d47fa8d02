/**
 * Group commit: what the partitions have to write goes into a transaction together. Those of one tenant come one after the other anyway, since
 * each holds its clock; and at a low rate a record alone costs as many round trips as five hundred.
 *
 *   handed over ──► waits for the transaction that is under way, and a moment for others ──► written with them
 *                          the data is refused, or it takes too long ──► each by itself: only its own can be to blame
 */
import type { Clock } from '#lib/clock';
import { isAppError } from '#lib/errors';
import { isTimedOut } from '#lib/postgres';

/** Writes all of it, or nothing. */
export type Write<T> = (items: readonly T[], bytes: number) => Promise<void>;

interface Options<T> {
  write: Write<T>;
  clock: Clock;
  /** How long the first one waits for others. */
  lingerMs: number;
  /** From so many on nobody waits. */
  enoughItems: number;
  /** Of what several have handed over; what one hands over is never divided. */
  maxItems: number;
  maxBytes: number;
  /** In rows: one item may be a thousand of them. */
  maxRows: number;
  rowsOf(item: T): number;
}

interface Waiting<T> {
  items: readonly T[];
  bytes: number;
  rows: number;
  sinceMs: number;
  written: PromiseWithResolvers<void>;
}

/** @returns what resolves once its items are committed, and rejects as the write of them does */
export function createGroupCommit<T>(options: Options<T>): Write<T> {
  const { write, clock, lingerMs, enoughItems, maxItems, maxBytes, maxRows, rowsOf } = options;
  const waiting: Waiting<T>[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const lingersMs = first.sinceMs + lingerMs - clock.monotonicMs();
      if (lingersMs > 0 && countOf(waiting) < enoughItems) await clock.sleep(lingersMs);
      await commit(takeGroup());
    }
    isWriting = false;
  }

  /** In the order in which they came. */
  function takeGroup(): Waiting<T>[] {
    let [count, items, bytes, rows] = [0, 0, 0, 0];
    for (const each of waiting) {
      items += each.items.length;
      bytes += each.bytes;
      rows += each.rows;
      if (count > 0 && (items > maxItems || bytes > maxBytes || rows > maxRows)) break;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function commit(group: readonly Waiting<T>[]): Promise<void> {
    try {
      await write(
        group.flatMap(({ items }) => items),
        group.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      for (const { written } of group) written.resolve();
    } catch (error) {
      const isDivided = group.length > 1 && (isAppError(error, 'data_invalid') || isTimedOut(error));
      for (const each of group)
        if (isDivided) await commit([each]);
        else each.written.reject(error);
    }
  }

  return (items, bytes) => {
    const rows = items.reduce((sum, item) => sum + rowsOf(item), 0);
    const each = { items, bytes, rows, sinceMs: clock.monotonicMs(), written: Promise.withResolvers<void>() };
    waiting.push(each);
    if (!isWriting) {
      isWriting = true;
      void writeAll();
    }
    return each.written.promise;
  };
}

const countOf = <T>(waiting: readonly Waiting<T>[]): number =>
  waiting.reduce((sum, { items }) => sum + items.length, 0);
