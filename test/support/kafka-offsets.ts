import { silentLogger } from '#lib/log';
import { createClient } from '../../libs/kafka/client.ts';

/** By `topic-partition`. */
export type Offsets = Readonly<Record<string, number>>;

type Admin = ReturnType<ReturnType<typeof createClient>['admin']>;

/** What the brokers say of topics and groups, over a connection of its own. */
export interface KafkaOffsets {
  /** The offset that the next record gets, of each partition that has had a record. */
  ends(topics: readonly string[]): Promise<Offsets>;
  /** A partition that the group has not committed in has 0. */
  committed(group: string, topic: string): Promise<Offsets>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function connectKafkaOffsets(brokers: readonly string[]): Promise<KafkaOffsets> {
  const admin: Admin = createClient({ brokers, clientId: 'checker', log: silentLogger }).admin();
  await admin.connect();
  return {
    async ends(topics) {
      const ends = await Promise.all(
        topics.map(async (topic) =>
          (await admin.fetchTopicOffsets(topic)).map(
            ({ partition, high }) => [`${topic}-${partition}`, Number(high)] as const,
          ),
        ),
      );
      return Object.fromEntries(ends.flat().filter(([, end]) => end > 0));
    },
    async committed(groupId, topic) {
      const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
      const offsets = found?.partitions ?? [];
      return Object.fromEntries(
        offsets.map(({ partition, offset }) => [`${topic}-${partition}`, Math.max(0, Number(offset))]),
      );
    },
    deleteTopics: (topics) => admin.deleteTopics({ topics: [...topics] }),
    close: () => admin.disconnect(),
  };
}
