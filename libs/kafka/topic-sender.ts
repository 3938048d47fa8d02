import type { AppError } from '#lib/errors';
import type { PartitionSender } from './partition-sender.ts';
import { partitionOf } from './partitioner.ts';
import type { PendingRecord } from './pending-record.ts';
import type { ProduceLane } from './produce-lane.ts';
import type { TopicLayout } from './topic-layouts.ts';

/** Gives each record of a topic its partition, once: a record is never moved to another, or a retry could write it twice and skip it. */
export interface TopicSender {
  add(record: PendingRecord): void;
  layoutChanged(layout: TopicLayout): void;
  expire(nowMs: number, error: (record: PendingRecord) => AppError): void;
  hurry(): void;
}

export interface TopicSenderOptions {
  layout: TopicLayout | undefined;
  createPartitionSender(partition: number, onBatchCut: () => void): PartitionSender;
  /** The connection that a partition's records would wait for. */
  laneOf(partition: number): Pick<ProduceLane, 'turns' | 'inFlightMs'>;
  random: () => number;
}

// A leader that takes longer is avoided by records that may go elsewhere.
const slowAfterMs = 200;
// In records: a turn of a connection is at most a batch, and being unwell outweighs any load.
const turnCost = 500;
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

  /** For one batch of keyless records: partitions that are led, answer and do not fail; of those the least loaded; ties by chance. */
  function choosePartition(partitions: TopicLayout): number {
    const first = Math.floor(options.random() * partitions.length);
    let best = first;
    let bestCost = Infinity;
    for (let i = 0; i < partitions.length; i += 1) {
      const partition = (first + i) % partitions.length;
      const load = senders[partition]?.load() ?? 0;
      const lane = options.laneOf(partition);
      const cost = (isUnwell(partition, partitions) ? unwellCost : 0) + lane.turns() * turnCost + load;
      if (cost < bestCost) [best, bestCost] = [partition, cost];
    }
    return best;
  }

  function isUnwell(partition: number, partitions: TopicLayout): boolean {
    const isSlow = options.laneOf(partition).inFlightMs() > slowAfterMs;
    return partitions[partition] === -1 || senders[partition]?.failing() === true || isSlow;
  }

  return {
    add(record) {
      if (layout === undefined) unrouted.push(record);
      else route(record, layout);
    },
    layoutChanged(changed) {
      layout = changed;
      const waiting = unrouted.filter((record) => !record.ended());
      unrouted = [];
      for (const record of waiting) route(record, changed);
    },
    expire(nowMs, error) {
      for (const record of unrouted) if (record.expiresAtMs <= nowMs) record.fail(error(record));
      unrouted = unrouted.filter((record) => !record.ended());
      for (const sender of senders) sender?.expire(nowMs, error);
    },
    hurry: () => {
      for (const sender of senders) sender?.hurry();
    },
  };
}
