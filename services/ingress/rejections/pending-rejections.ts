import type { Rejection } from './rejection-row.ts';

/** Rejections of one source between two writes: enough to see what is wrong. */
const maxPerSource = 5;
/** Rejections of all sources: with 16 KiB of body and 16 KiB of headers (Node's own limit) each, 32 MiB at the most. */
const maxPending = 1_000;

export interface PendingRejections {
  /** Replaces the oldest if there is no room. */
  add(rejection: Rejection): void;
  /** Removes up to so many, the sources in the order in which they came. */
  take(count: number): Rejection[];
  /** Takes back rejections that could not be written, as far as there is room. */
  putBack(rejections: readonly Rejection[]): void;
}

/** Rejections that wait to be written, bounded per source and in all: a flood costs memory for its last ones alone. */
export function createPendingRejections(onDropped: () => void): PendingRejections {
  // Each list from its oldest; a Map keeps the sources in the order in which they came.
  const bySource = new Map<string, Rejection[]>();
  let size = 0;

  const removeOldest = (sourceId = bySource.keys().next().value): Rejection | undefined => {
    if (sourceId === undefined) return undefined;
    const list = bySource.get(sourceId);
    if (list === undefined) return undefined;
    size -= 1;
    if (list.length === 1) bySource.delete(sourceId);
    return list.shift();
  };
  const drop = (sourceId?: string): void => {
    removeOldest(sourceId);
    onDropped();
  };
  const listOf = (sourceId: string): Rejection[] => {
    const list = bySource.get(sourceId) ?? [];
    bySource.set(sourceId, list);
    return list;
  };
  const isFull = (sourceId: string): boolean => bySource.get(sourceId)?.length === maxPerSource;

  return {
    add(rejection) {
      if (isFull(rejection.sourceId)) drop(rejection.sourceId);
      else if (size === maxPending) drop();
      listOf(rejection.sourceId).push(rejection);
      size += 1;
    },
    take(count) {
      const taken: Rejection[] = [];
      for (let next; taken.length < count && (next = removeOldest()) !== undefined;) taken.push(next);
      return taken;
    },
    putBack(rejections) {
      for (const rejection of rejections.toReversed()) {
        if (isFull(rejection.sourceId) || size === maxPending) {
          onDropped();
          continue;
        }
        listOf(rejection.sourceId).unshift(rejection);
        size += 1;
      }
    },
  };
}
