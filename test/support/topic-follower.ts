import { randomUUID } from 'node:crypto';
import { groupOf, readSchema, topicNames, topicsOf } from '#lib/contract';
import { createAttemptCodec, createConsumer, createEventCodec, originOf } from '#lib/kafka';
import { createLogger } from '#lib/log';
import { systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import type { History, TopicContents } from '../faults/checker/history.ts';
import { connectKafkaOffsets, type KafkaOffsets } from './kafka-offsets.ts';
import type { Stack } from './stack.ts';
import { createEntryReader } from './topic-entries.ts';
import { waitUntil } from './wait-until.ts';
import { noneUndecodable } from './none-undecodable.ts';

export interface TopicFollower {
  start(): Promise<void>;
  /** The records on the topics: everything up to their ends at the moment of the call. */
  contents(): Promise<TopicContents>;
  /** How far each group has come. Ask before the contents: what was committed by then has left its traces. */
  committed(): Promise<History['committed']>;
  stop(): Promise<void>;
}

export interface TopicFollowerOptions {
  /** For writers whose clock is off: the true time of a time in a record, when it is read. */
  trueTimeOf?: (timeMs: number) => number;
  /** Gets a line for each step. The last lines, without details, are reported if it does not get on. */
  onLine?: (line: string) => void;
}

const linesTold = 20;
const isDetail = (line: string): boolean => line.includes('"level":20');

/** Reads all topics from their beginnings for as long as it runs, and keeps of each record what the checker needs. */
export function createTopicFollower(
  { kafkaBrokers, topicPrefix, schemaRegistryUrl }: Stack,
  { trueTimeOf, onLine }: TopicFollowerOptions = {},
): TopicFollower {
  const topics = topicsOf(topicPrefix);
  const lines: string[] = [];
  const write = (written: string): void => {
    const line = written.trimEnd();
    onLine?.(line);
    if (isDetail(line)) return;
    if (lines.length === linesTold) lines.shift();
    lines.push(line);
  };
  const common = { clock: systemClock, log: createLogger({ service: 'checker', level: 'debug' }, { write }) };
  const eventCodec = createEventCodec({
    ...common,
    registryUrl: schemaRegistryUrl,
    topic: topics.events,
    schema: readSchema('events'),
  });
  const attemptCodec = createAttemptCodec({
    ...common,
    registryUrl: schemaRegistryUrl,
    topic: topics['delivery.attempts'],
    schema: readSchema('delivery.attempts'),
  });
  const entries = new Map(topicNames.map((name) => [name, new Map<string, unknown>()]));
  /** The next offset to read, by `topic-partition`. */
  const reached = new Map<string, number>();
  let failure: Error | undefined;

  const nameOf = new Map(topicNames.map((name) => [topics[name], name]));
  const readEntry = createEntryReader({ eventCodec, attemptCodec }, trueTimeOf);

  const consumer = createConsumer({
    ...common,
    brokers: kafkaBrokers,
    clientId: 'checker',
    groupId: `${topicPrefix}checker-${randomUUID()}`,
    topics: Object.values(topics),
    metrics: new Metrics(),
    onUndecodable: noneUndecodable,
    handle: async (records) => {
      for (const record of records) {
        const name = nameOf.get(record.topic);
        if (name !== undefined) entries.get(name)?.set(originOf(record), await readEntry(name, record));
        reached.set(`${record.topic}-${record.partition}`, Number(record.offset) + 1);
        record.done();
      }
    },
    onFailure: (error) => (failure = error),
  });

  let offsets: KafkaOffsets | undefined;
  const askBrokers = async (): Promise<KafkaOffsets> => (offsets ??= await connectKafkaOffsets(kafkaBrokers));

  return {
    async start() {
      await Promise.all([eventCodec.start(), attemptCodec.start()]);
      await consumer.start();
      await waitUntil(
        'the checker follows every topic',
        () => new Set(consumer.partitions().map(({ topic }) => topic)).size === topicNames.length,
      );
    },
    async contents() {
      const ends = Object.entries(await (await askBrokers()).ends(Object.values(topics)));
      const behind = (): string[] =>
        ends
          .filter(([partition, end]) => (reached.get(partition) ?? 0) < end)
          .map(([partition, end]) => `${partition}: ${reached.get(partition) ?? 0} of ${end}`);
      await waitUntil(
        'the checker has read every topic to its end',
        () => {
          if (failure !== undefined) throw failure;
          return behind().length === 0;
        },
        { describe: () => [...behind(), ...lines].join('\n') },
      );
      return Object.fromEntries(
        topicNames.map((name) => [name, [...(entries.get(name)?.values() ?? [])]]),
      ) as unknown as TopicContents;
    },
    async committed() {
      const brokers = await askBrokers();
      return {
        dedup: await brokers.committed(groupOf(topicPrefix, 'dedup'), topics['webhooks.received']),
        'fan-out': await brokers.committed(groupOf(topicPrefix, 'fan-out'), topics.events),
        dispatcher: await brokers.committed(groupOf(topicPrefix, 'dispatcher'), topics.deliveries),
      };
    },
    async stop() {
      await Promise.all([consumer.stop(), offsets?.close()]);
      await Promise.all([eventCodec.stop(), attemptCodec.stop()]);
    },
  };
}
