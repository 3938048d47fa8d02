/**
 * One partition for as long as this member has it:
 *
 *   locating ──start offset known──► open ⇄ held (a rebalance is under way: nothing more is handed out)
 *       └──────────────┬──────────────┘
 *                 dropped (lost, or the consumer ended): the signal aborts, and done() does nothing any more
 *
 * It guarantees that records are handed out in offset order, to one call of the handler at a time, none of them twice, and that every record
 * below the offset to commit is done. Queued and outstanding records are bounded, and so is how far the partition goes on beyond one that is
 * not done; the consumer that feeds it respects `wantsMore`.
 * handler-calls.ts calls the handler.
 */
import type { KafkaMessage } from 'kafkajs';
import { FetchedBatch, type FetchedMessage } from '../codec/fetched-batch.ts';
import { FetchedRecord } from '../codec/fetched-record.ts';
import type { PartitionRef } from '../port.ts';
import { ConsumedBatch } from './consumed-batch.ts';
import { type ConsumedFrom, ConsumedRecord } from './consumed-record.ts';
import { createOffsetTracker, type OffsetTracker } from './offset-tracker.ts';

export interface WorkLimits {
  maxQueuedRecords: number;
  maxQueuedBytes: number;
  maxOutstanding: number;
  maxOutstandingBytes: number;
  /** Records received since the oldest that is not done; at the bound nothing more is handed out. */
  maxSpan: number;
  /** The most that a batch may have when it is decompressed. */
  maxBatchBytes: number;
}

/** A record of the partition, or a batch that stands for some. */
export type Consumed = ConsumedRecord | ConsumedBatch;

export interface PartitionWorker extends PartitionRef {
  /** Aborts when it is dropped. */
  readonly signal: AbortSignal;
  state(): 'locating' | 'open' | 'dropped';
  /** @param isCommitted the group has this offset; else it is committed as if it were the outcome of a record. Default true. */
  open(startOffset: bigint, isCommitted?: boolean): void;
  /**
   * Takes the new records of what was fetched. `reread`: the rest is to be read again, from `nextOffset`, because
   *
   * - it starts beyond that, and none of it was taken. Reading again distinguishes a late fetch of before a rebalance from a hole in the log: a
   *   gap that is met twice is a hole, which a transaction's end or compaction leaves. Records removed from the log's beginning make no such
   *   gap: the broker refuses to fetch there.
   * - a batch can't be decoded. One that is broken twice was not broken on its way.
   * - the queue is full, and the rest is compressed: what it becomes is not taken into memory before there is room.
   */
  receive(messages: readonly (KafkaMessage | FetchedBatch)[]): 'taken' | 'reread';
  /** The records from `nextOffset` up to this will never come; those that were handed out before end as ever. */
  skipTo(offset: bigint): void;
  /** The offset to be read next; undefined while locating. */
  nextOffset(): bigint | undefined;
  /** False once the queue is full, until it has drained to half. */
  wantsMore(): boolean;
  /** The offset to commit; undefined if nothing new is done. */
  committable(): bigint | undefined;
  committed(offset: bigint): void;
  /** Below this offset everything is done and committed. */
  committedOffset(): bigint | undefined;
  /** When the oldest record was written that was received and is not done, in milliseconds since the epoch; undefined without one. */
  oldestOpenAtMs(): number | undefined;
  /** Received and not handed out. */
  queued(): { records: readonly Consumed[]; bytes: number };
  /** Whether something is queued that may be handed out, and no call has what it handed out before. */
  mayHandOut(): boolean;
  /**
   * The next records, of so many bytes in all; where `isFirst` one at least. A batch that can't be decoded comes alone. `calledIn` says to
   * which call.
   */
  take(most: { records: number; bytes: number }, isFirst: boolean): Consumed[];
  calledIn(call: Promise<void>): void;
  /** @param hasFailed nothing more is handed out */
  returnedFrom(call: Promise<void>, hasFailed: boolean): void;
  /** All that was handed out is done. */
  idle(): boolean;
  hold(): void;
  release(): void;
  drop(): void;
  /** The last call that it was in has returned, after `drop`. */
  returned(): Promise<void>;
}

export interface PartitionWorkerOptions extends PartitionRef {
  limits: WorkLimits;
  /** The handler of the partition's former worker in this process: it must have returned before anything is handed out. */
  after: Promise<void>;
  /** There may be something to hand out. */
  onReady(): void;
  onWantsMore(): void;
  /** There may be something to commit. */
  onCommittable(): void;
  onIdle(): void;
  /** The log has no records from the one offset up to the other, though it has some before and after. */
  onHole?(fromOffset: bigint, toOffset: bigint): void;
}

export function createPartitionWorker(options: PartitionWorkerOptions): PartitionWorker {
  const { topic, partition, limits } = options;
  const lost = new AbortController();
  const queued: Consumed[] = [];
  const out = { records: 0, bytes: 0 };
  let queuedBytes = 0;
  let tracker: OffsetTracker | undefined;
  let committedOffset: bigint | undefined;
  let gapMetAt: bigint | undefined;
  let brokenMetAt: bigint | undefined;
  let full = false;
  let held = false;
  let failed = false;
  let isAfter = false;
  let calling: Promise<void> | undefined;
  void options.after.then(() => {
    isAfter = true;
    options.onReady();
  });

  const from: ConsumedFrom = { topic, partition, signal: lost.signal, onDone };

  function onDone({ ticket, bytes }: Pick<Consumed, 'ticket' | 'bytes'>): void {
    if (lost.signal.aborted || tracker?.done(ticket) !== true) return;
    options.onCommittable();
    out.records -= 1;
    out.bytes -= bytes;
    if (idle()) options.onIdle();
    if (queued.length > 0) options.onReady();
  }

  const idle = (): boolean => out.records === 0 && calling === undefined;

  function mayHandOut(): boolean {
    const isNear = tracker !== undefined && tracker.span() - queued.length < limits.maxSpan;
    const hasRoom = isNear && out.records < limits.maxOutstanding && out.bytes < limits.maxOutstandingBytes;
    const isFree = isAfter && calling === undefined && !held && !failed && !lost.signal.aborted;
    return queued.length > 0 && hasRoom && isFree;
  }

  function take(most: { records: number; bytes: number }, isFirst: boolean): Consumed[] {
    const mostRecords = Math.min(most.records, limits.maxOutstanding - out.records);
    let count = 0;
    let bytes = 0;
    for (const record of queued) {
      if (record instanceof ConsumedBatch) {
        if (count > 0) break;
        count = 1;
        bytes = record.bytes;
        break;
      }
      const isTooMuch = bytes + record.bytes > most.bytes && !(isFirst && count === 0);
      if (count >= mostRecords || isTooMuch) break;
      count += 1;
      bytes += record.bytes;
    }
    queuedBytes -= bytes;
    out.records += count;
    out.bytes += bytes;
    const taken = queued.splice(0, count);
    if (full && hasRoom()) {
      full = false;
      options.onWantsMore();
    }
    return taken;
  }

  function queue(item: Consumed): void {
    if (tracker === undefined) return;
    item.ticket = tracker.receive(item.offset, item.writtenAtMs);
    queued.push(item);
    queuedBytes += item.bytes;
  }

  /** @returns false if it is to be read again */
  function queueBatch(batch: FetchedBatch): boolean {
    if (tracker === undefined) return true;
    const next = tracker.nextOffset();
    const { lastOffset, compression, bytes } = batch;
    const opened = batch.open(limits.maxBatchBytes);
    if ('records' in opened) {
      for (const record of opened.records) if (record.position >= next) queue(new ConsumedRecord(from, record));
    } else if (brokenMetAt !== next) {
      brokenMetAt = next;
      return false;
    } else {
      const { firstOffset = next, timestamp } = batch;
      const place = { offset: next, firstOffset, lastOffset, writtenAtMs: Number(timestamp) };
      queue(new ConsumedBatch(from, { ...place, compression, bytes, problem: opened.problem }));
    }
    // The batch may have lost its last records to compaction.
    if (tracker.nextOffset() <= lastOffset) tracker.skipTo(lastOffset + 1n);
    return true;
  }

  const isQueueFull = (): boolean => queued.length >= limits.maxQueuedRecords || queuedBytes >= limits.maxQueuedBytes;

  const hasRoom = (): boolean =>
    queued.length <= limits.maxQueuedRecords / 2 && queuedBytes <= limits.maxQueuedBytes / 2;

  return {
    topic,
    partition,
    signal: lost.signal,
    mayHandOut,
    take,
    calledIn(call) {
      calling = call;
    },
    returnedFrom(call, hasFailed) {
      if (calling !== call) return;
      calling = undefined;
      failed ||= hasFailed;
      if (idle()) options.onIdle();
    },
    open(startOffset, isCommitted = true) {
      tracker = createOffsetTracker(startOffset);
      committedOffset = isCommitted ? startOffset : startOffset - 1n;
      options.onCommittable();
    },
    skipTo(offset) {
      if (tracker === undefined || offset <= tracker.nextOffset()) return;
      tracker.skipTo(offset);
      options.onCommittable();
    },
    state() {
      if (lost.signal.aborted) return 'dropped';
      return tracker === undefined ? 'locating' : 'open';
    },
    receive(messages) {
      if (tracker === undefined || lost.signal.aborted) return 'taken';
      const next = tracker.nextOffset();
      const firstNew = messages.findIndex((message) => offsetOf(message) >= next);
      const fresh = firstNew === -1 ? [] : messages.slice(firstNew);
      const begin = fresh[0] === undefined ? next : beginOf(fresh[0], next);
      if (begin > next) {
        if (gapMetAt !== next) {
          gapMetAt = next;
          return 'reread';
        }
        options.onHole?.(next, begin);
        tracker.skipTo(begin);
      }
      const isWhole = fresh.every((message) => {
        if (message instanceof FetchedBatch) return !isQueueFull() && queueBatch(message);
        queue(new ConsumedRecord(from, message));
        return true;
      });
      if (isQueueFull()) full = true;
      options.onReady();
      return isWhole ? 'taken' : 'reread';
    },
    nextOffset: () => tracker?.nextOffset(),
    wantsMore: () => !full,
    committable() {
      const position = tracker?.position();
      return position !== undefined && committedOffset !== undefined && position > committedOffset
        ? position
        : undefined;
    },
    committed(offset) {
      committedOffset = offset;
    },
    committedOffset: () => committedOffset,
    oldestOpenAtMs: () => tracker?.oldestOpenAtMs(),
    queued: () => ({ records: queued, bytes: queuedBytes }),
    idle,
    hold() {
      held = true;
    },
    release() {
      held = false;
      options.onReady();
    },
    drop() {
      lost.abort();
      queued.length = 0;
      queuedBytes = 0;
    },
    returned: async () => {
      await options.after;
      await calling;
    },
  };
}

/** The offset with which it begins; one that doesn't say is taken for the next. */
const beginOf = (message: KafkaMessage | FetchedBatch, next: bigint): bigint =>
  message instanceof FetchedBatch ? (message.firstOffset ?? next) : BigInt(offsetOf(message));

/** Comparable with a bigint. */
const offsetOf = (message: KafkaMessage | FetchedMessage): number | bigint =>
  message instanceof FetchedRecord ? message.position : BigInt(message.offset);
