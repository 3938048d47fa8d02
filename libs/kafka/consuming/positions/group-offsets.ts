import type { Admin, ConfigResourceTypes, Kafka } from 'kafkajs';
import { AppError, type Clock } from '#lib/runtime';
import { rootCause } from '../../client.ts';
import { within } from '../../time-limit.ts';
import type { LogBounds } from './vet-position.ts';

/** As the protocol numbers it. Node does not find kafkajs's own name for it among what the package exports. */
const topicResource: ConfigResourceTypes = 2;
/** For one question, its connection included: a partition whose question never ends would never be read. */
const askLimitMs = 30_000;

/** A group's offsets and the logs that it reads, asked for over a connection of its own. */
export interface GroupOffsets {
  /** The committed offsets of a topic's partitions; those without one are left out. */
  committed(topic: string): Promise<Map<number, bigint>>;
  /** The offsets of each partition's first record and of its next. */
  ends(topic: string): Promise<Map<number, LogBounds>>;
  /** How long the topic keeps its records; undefined: for ever. */
  retentionMs(topic: string): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Its calls throw whatever the client throws; the next call then starts with a new connection. */
export function createGroupOffsets(createClient: () => Kafka, groupId: string, clock: Clock): GroupOffsets {
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
    const asking = (connected ??= open()).then(question);
    try {
      return await within(clock, askLimitMs, asking, () => {
        throw new AppError('kafka_unavailable', `nothing was said about the offsets of ${groupId} in time`);
      });
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
            // -1: none; -2: left by a version of Hookline in which kafkajs committed this where it found an offset out of range.
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
    retentionMs: (topic) =>
      ask(async (admin) => {
        const resource = { type: topicResource, name: topic, configNames: ['retention.ms'] };
        const { resources } = await admin.describeConfigs({ resources: [resource], includeSynonyms: false });
        const ms = Number(resources[0]?.configEntries[0]?.configValue ?? Number.NaN);
        return ms >= 0 ? ms : undefined;
      }),
    close,
  };
}
