import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import type { PartitionRef } from '../port.ts';

/** @returns true if the member is the listener's own: the listener repositions the partition, and kafkajs does nothing */
export type OnOutOfRange = (memberId: string | null, partition: PartitionRef) => boolean;

const listeners = new Set<OnOutOfRange>();

/**
 * On OFFSET_OUT_OF_RANGE kafkajs commits the log's first offset for the group and reads on from there, with a line at debug level: records that
 * were removed unread are skipped silently, and the group's position is lost. Patched: the consumer is notified instead.
 */
export function reportOffsetsOutOfRange(): void {
  const group = ConsumerGroup.prototype;
  const recover = group.recoverFromOffsetOutOfRange;
  group.recoverFromOffsetOutOfRange = async function (error) {
    const ref = { topic: error.topic, partition: error.partition };
    for (const listener of listeners) if (listener(this.memberId, ref)) return;
    await recover.call(this, error);
  };
}

/** @returns unsubscribes the listener */
export function onOffsetOutOfRange(listener: OnOutOfRange): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
