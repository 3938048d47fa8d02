import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '#lib/runtime';
import { createClient } from '../../libs/kafka/client.ts';

/** By `topic-partition`. */
type Offsets = Readonly<Record<string, number>>;

type Admin = ReturnType<ReturnType<typeof createClient>['admin']>;

/** Facts from the brokers about topics and groups, over a connection of its own. */
export interface KafkaOffsets {
  /** The offset that the next record gets, of each partition that has had a record. */
  ends(topics: readonly string[]): Promise<Offsets>;
  /** A partition that the group has not committed in has 0. */
  committed(group: string, topic: string): Promise<Offsets>;
  /** Sets the group's start in the topic: the first record of this time or later. It must have no members. */
  reset(group: string, topic: string, atMs: number): Promise<void>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Until a broker that is back leads again what it has. */
const patienceMs = 180_000;
const betweenTriesMs = 500;

export async function connectKafkaOffsets(brokers: readonly string[]): Promise<KafkaOffsets> {
  const connect = async (): Promise<Admin> => {
    const fresh: Admin = createClient({ brokers, clientId: 'checker', log: silentLogger }).admin();
    await fresh.connect();
    return fresh;
  };
  let admin = await connect();
  /** A client that found no leader stays without one for minutes; each retry uses a new client. */
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    const deadlineMs = performance.now() + patienceMs;
    for (;;) {
      try {
        return await question();
      } catch (error) {
        if (performance.now() >= deadlineMs) throw error;
      }
      await delay(betweenTriesMs);
      await admin.disconnect().catch(() => undefined);
      admin = await connect().catch(() => admin);
    }
  };
  return {
    ends: (topics) =>
      ask(async () => {
        const ends = await Promise.all(
          topics.map(async (topic) =>
            (await admin.fetchTopicOffsets(topic)).map(
              ({ partition, high }) => [`${topic}-${partition}`, Number(high)] as const,
            ),
          ),
        );
        return Object.fromEntries(ends.flat().filter(([, end]) => end > 0));
      }),
    async committed(groupId, topic) {
      const [found] = await ask(() => admin.fetchOffsets({ groupId, topics: [topic] }));
      const offsets = found?.partitions ?? [];
      return Object.fromEntries(
        offsets.map(({ partition, offset }) => [`${topic}-${partition}`, Math.max(0, Number(offset))]),
      );
    },
    reset: (groupId, topic, atMs) =>
      ask(async () => {
        const partitions = await admin.fetchTopicOffsetsByTimestamp(topic, atMs);
        await admin.setOffsets({ groupId, topic, partitions });
      }),
    deleteTopics: (topics) => admin.deleteTopics({ topics: [...topics] }),
    close: () => admin.disconnect(),
  };
}
