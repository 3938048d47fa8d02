import { type GroupName, groupOf, type TopicName, topicsOf } from '#lib/contract';
import type { KafkaOffsets } from '../../support/kafka-offsets.ts';

/**
 * Whether each group has committed to the end of its topic as that is now. In the order of an event's way: what one of them writes
 * before it commits, the next one still has to read.
 */
export async function areReadToTheEnd(
  offsets: KafkaOffsets,
  topicPrefix: string,
  readers: readonly (readonly [group: GroupName, topic: TopicName])[],
): Promise<boolean> {
  const topics = topicsOf(topicPrefix);
  for (const [group, name] of readers) {
    const ends = await offsets.ends([topics[name]]);
    const committed = await offsets.committed(groupOf(topicPrefix, group), topics[name]);
    if (Object.entries(ends).some(([partition, end]) => (committed[partition] ?? 0) < end)) return false;
  }
  return true;
}
