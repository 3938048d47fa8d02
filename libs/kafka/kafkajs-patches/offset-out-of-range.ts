import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import type { PartitionRef } from '../port.ts';

/** @returns whether the member is the listener's own: then it sees to the partition, and kafkajs does nothing */
export type OnOutOfRange = (memberId: string | null, partition: PartitionRef) => boolean;

const listeners = new Set<OnOutOfRange>();
let announced = false;

/**
 * Where a broker has no record at the offset that is fetched, kafkajs commits the log's first offset for the group and goes on there, with
 * a line at debug level: records that were removed unread are passed over, and where the group had come to is forgotten. Here the consumer
 * is told instead. It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
export function announceOffsetsOutOfRange(): void {
  if (announced) return;
  announced = true;
  const group = ConsumerGroup.prototype;
  const recover = group.recoverFromOffsetOutOfRange;
  group.recoverFromOffsetOutOfRange = async function (error) {
    const ref = { topic: error.topic, partition: error.partition };
    for (const listener of listeners) if (listener(this.memberId, ref)) return;
    await recover.call(this, error);
  };
}

/** @returns what ends it */
export function onOffsetOutOfRange(listener: OnOutOfRange): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
