import type { Admin, Kafka } from 'kafkajs';
import { rootCause } from './client.ts';

/** What the brokers say about a group and the topics that it reads, over a connection of its own. */
export interface GroupOffsets {
  /** The committed offsets of a topic's partitions; those without one are left out. */
  committed(topic: string): Promise<Map<number, bigint>>;
  /** The offsets of each partition's first record and of its next. */
  ends(topic: string): Promise<Map<number, { low: bigint; high: bigint }>>;
  close(): Promise<void>;
}

/** Its calls throw whatever the client throws; the next call then starts with a new connection. */
export function createGroupOffsets(createClient: () => Kafka, groupId: string): GroupOffsets {
  let connected: Promise<Admin> | undefined;

  async function open(): Promise<Admin> {
    const admin = createClient().admin();
    await admin.connect();
    return admin;
  }

  function close(): Promise<void> {
    const closing = connected?.then((admin) => admin.disconnect()).catch(() => undefined) ?? Promise.resolve();
    connected = undefined;
    return closing;
  }

  async function ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    try {
      return await question(await (connected ??= open()));
    } catch (error) {
      void close();
      throw rootCause(error);
    }
  }

  return {
    committed: (topic) =>
      ask(async (admin) => {
        const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
        return new Map(
          (found?.partitions ?? [])
            .map(({ partition, offset }) => [partition, BigInt(offset)] as const)
            // -1: none; -2: kafkajs commits this where it found an offset out of range.
            .filter(([, offset]) => offset >= 0n),
        );
      }),
    ends: (topic) =>
      ask(async (admin) => {
        const found = await admin.fetchTopicOffsets(topic);
        return new Map(
          found.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }] as const),
        );
      }),
    close,
  };
}
