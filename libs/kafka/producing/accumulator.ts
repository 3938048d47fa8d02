import type { PendingRecord, RecordOwner } from './pending-record.ts';

/** @param owner whose records count; default: all */
export const isExpired = (record: PendingRecord, nowMs: number, owner?: RecordOwner): boolean =>
  record.expiresAtMs <= nowMs && (owner === undefined || record.owner === owner);

export interface BatchLimits {
  maxRecords: number;
  /** A record larger than this makes a batch of its own. */
  maxBytes: number;
}

/**
 * The waiting records of one partition, in order. A batch is cut from the front when it can be sent, so it grows while it waits. A returned
 * batch is sent again first.
 */
export interface Accumulator {
  add(record: PendingRecord): void;
  /** Waiting records, returned ones included. */
  size(): number;
  holdsFullBatch(): boolean;
  /** The size of the batch that `cut` would take, about. */
  batchBytes(): number;
  /** When its first record stops waiting for others; at once if a batch was returned, or is full. */
  dueAtMs(): number;
  /** The next batch; empty if all waiting records have ended already. */
  cut(): PendingRecord[];
  putBack(batch: PendingRecord[]): void;
  /** Puts a batch of two or more back as two halves, that are sent one after the other. */
  putBackSplit(batch: PendingRecord[]): void;
  /** The expired records, of all owners or of one, removed from all batches. The caller ends them. */
  takeExpired(nowMs: number, owner?: RecordOwner): PendingRecord[];
  /** Before this nothing that waits expires. */
  noneExpiresBeforeMs(): number;
}

export function createAccumulator(limits: BatchLimits): Accumulator {
  const returned: PendingRecord[][] = [];
  let waiting: PendingRecord[] = [];
  let waitingBytes = 0;
  /** No record expires before this time, so most checks for expired ones end here. */
  let noneBeforeMs = Number.POSITIVE_INFINITY;
  /** The earliest of the waiting records. */
  let dueAtMs = Number.POSITIVE_INFINITY;

  const holdsFullBatch = (): boolean =>
    returned.length > 0 || waiting.length >= limits.maxRecords || waitingBytes >= limits.maxBytes;

  function noteRest(): void {
    dueAtMs = Number.POSITIVE_INFINITY;
    for (const record of waiting) dueAtMs = Math.min(dueAtMs, record.dueAtMs);
  }

  function noteExpiryOf(records: readonly PendingRecord[]): void {
    for (const { expiresAtMs } of records) noneBeforeMs = Math.min(noneBeforeMs, expiresAtMs);
  }

  function takeFromWaiting(count: number): PendingRecord[] {
    const taken = waiting.splice(0, count);
    for (const record of taken) waitingBytes -= record.bytes;
    noteRest();
    return taken;
  }

  function cutFromWaiting(): PendingRecord[] {
    let count = 0;
    let bytes = 0;
    for (const record of waiting) {
      if (count === limits.maxRecords || (count > 0 && bytes + record.bytes > limits.maxBytes)) break;
      count += 1;
      bytes += record.bytes;
    }
    return takeFromWaiting(count);
  }

  return {
    add(record) {
      waiting.push(record);
      waitingBytes += record.bytes;
      noneBeforeMs = Math.min(noneBeforeMs, record.expiresAtMs);
      dueAtMs = Math.min(dueAtMs, record.dueAtMs);
    },
    size: () => returned.reduce((sum, batch) => sum + batch.length, waiting.length),
    holdsFullBatch,
    batchBytes: () =>
      returned[0]?.reduce((sum, { bytes }) => sum + bytes, 0) ??
      Math.min(waitingBytes, Math.max(limits.maxBytes, waiting[0]?.bytes ?? 0)),
    dueAtMs: () => (holdsFullBatch() ? Number.NEGATIVE_INFINITY : dueAtMs),
    cut() {
      for (let batch = returned.shift(); batch !== undefined; batch = returned.shift()) {
        const open = batch.filter((record) => !record.ended());
        if (open.length > 0) return open;
      }
      return cutFromWaiting();
    },
    putBack(batch) {
      returned.unshift(batch);
      noteExpiryOf(batch);
    },
    putBackSplit(batch) {
      const middle = batch.length >> 1;
      returned.unshift(batch.slice(0, middle), batch.slice(middle));
      noteExpiryOf(batch);
    },
    takeExpired(nowMs, owner) {
      if (nowMs < noneBeforeMs) return [];
      const expired = (record: PendingRecord): boolean => isExpired(record, nowMs, owner);
      const ofReturned = returned.flat().filter((record) => expired(record) && !record.ended());
      const ofWaiting = waiting.filter(expired);
      if (ofWaiting.length > 0) {
        waiting = waiting.filter((record) => !expired(record));
        for (const record of ofWaiting) waitingBytes -= record.bytes;
        noteRest();
      }
      noneBeforeMs = Number.POSITIVE_INFINITY;
      noteExpiryOf(returned.flat().filter((record) => !expired(record)));
      noteExpiryOf(waiting);
      return [...ofReturned, ...ofWaiting];
    },
    noneExpiresBeforeMs: () => noneBeforeMs,
  };
}
