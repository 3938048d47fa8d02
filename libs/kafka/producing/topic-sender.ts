import type { AppError } from '#lib/runtime';
import { isExpired } from './accumulator.ts';
import { murmur2 } from './murmur2.ts';
import type { PartitionSender } from './partition-sender.ts';
import type { PendingRecord, RecordOwner } from './pending-record.ts';
import type { ProduceLane } from './produce-lane.ts';
import { nobody, type TopicLayout } from './topic-layouts.ts';

/** Gives each record of a topic its partition, once: a record is never moved to another, or a retry could write it twice and skip it. */
export interface TopicSender {
  add(record: PendingRecord): void;
  layoutChanged(layout: TopicLayout): void;
  /** @returns before when nothing more expires */
  expire(nowMs: number, error: (record: PendingRecord) => AppError, owner?: RecordOwner): number;
  hurry(): void;
}

export interface TopicSenderOptions {
  layout: TopicLayout | undefined;
  createPartitionSender(partition: number, onBatchCut: () => void): PartitionSender;
  /** The connection that a partition's records would wait for. */
  laneOf(partition: number, isAlone: boolean): Pick<ProduceLane, 'load'>;
  /** How long its leader has been taking over a request, once that is long; else 0. */
  slowForMs(partition: number): number;
  random: () => number;
}

// In records: a waiting or sending partition has at most a batch, so being slow or failing outweighs any load.
const partitionCost = 500;
/** For each millisecond: where all leaders are slow, the one that has paused for a moment is chosen before the one that is frozen. */
const slowCost = 1e6;
const unwellCost = 1e9;

export function createTopicSender(options: TopicSenderOptions): TopicSender {
  const senders: PartitionSender[] = [];
  /** Records that came before the number of partitions was known. */
  let unrouted: PendingRecord[] = [];
  let layout = options.layout;
  let sticky: number | undefined;

  function senderOf(partition: number): PartitionSender {
    return (senders[partition] ??= options.createPartitionSender(partition, () => {
      if (sticky === partition) sticky = undefined;
    }));
  }

  function route(record: PendingRecord, partitions: TopicLayout): void {
    if (record.key !== null) return senderOf(partitionOf(record.key, partitions.length)).add(record);
    sticky ??= choosePartition(partitions);
    const sender = senderOf(sticky);
    sender.add(record);
    if (sender.holdsFullBatch()) sticky = undefined;
  }

  /**
   * Chooses for one batch of keyless records, among partitions with a leader that answer and don't fail: the least loaded, ties at random.
   */
  function choosePartition(partitions: TopicLayout): number {
    const first = Math.floor(options.random() * partitions.length);
    let best = first;
    let bestCost = Infinity;
    for (let i = 0; i < partitions.length; i += 1) {
      const partition = (first + i) % partitions.length;
      const cost = costOf(partition, partitions);
      if (cost < bestCost) [best, bestCost] = [partition, cost];
    }
    return best;
  }

  function costOf(partition: number, partitions: TopicLayout): number {
    const sender = senders[partition];
    const isAlone = sender?.isAlone() === true;
    const isLed = partitions[partition] !== nobody;
    const isWell = isLed && !isAlone && sender?.failing() !== true;
    const waiting = options.laneOf(partition, isAlone).load() * partitionCost + (sender?.load() ?? 0);
    return (isWell ? 0 : unwellCost) + options.slowForMs(partition) * slowCost + waiting;
  }

  return {
    add(record) {
      if (layout === undefined) unrouted.push(record);
      else route(record, layout);
    },
    layoutChanged(changed) {
      for (const [partition, sender] of senders.entries())
        if (changed[partition] !== layout?.[partition]) sender?.leaderChanged();
      layout = changed;
      const waiting = unrouted.filter((record) => !record.ended());
      unrouted = [];
      for (const record of waiting) route(record, changed);
    },
    expire(nowMs, error, owner) {
      for (const record of unrouted) if (isExpired(record, nowMs, owner)) record.fail(error(record));
      unrouted = unrouted.filter((record) => !record.ended());
      let nextMs = Number.POSITIVE_INFINITY;
      for (const { expiresAtMs } of unrouted) nextMs = Math.min(nextMs, expiresAtMs);
      for (const sender of senders)
        if (sender !== undefined) nextMs = Math.min(nextMs, sender.expire(nowMs, error, owner));
      return nextMs;
    },
    hurry: () => {
      for (const sender of senders) sender?.hurry();
    },
  };
}

/** The partition of a key among `count`, exactly as in Kafka's Java client, so that other programs find a key's partition. */
export function partitionOf(key: Buffer | string, count: number): number {
  return (murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff) % count;
}
