import { randomUUID } from 'node:crypto';
import { readSchema, type TopicName, topicsOf } from '#lib/contract';
import { type createEventCodec, type KafkaAccess, kafkaAccess, readTopic, type UndecodableBatch } from '#lib/kafka';
import { createPostgres, postgresAccess, type Query } from '#lib/postgres';
import { type Part, silentLogger } from '#lib/runtime';
import { usageFailure } from '../command-failure.ts';
import { loadRebuildConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { readTime } from '../options/values.ts';

/** The options of each rebuild. */
export interface RebuildValues {
  since: string | undefined;
  'dry-run': boolean;
  json: boolean;
}

/** @returns in milliseconds since 1970. @throws CommandFailure of usage */
function readSince(text: string | undefined, { clock }: Context): number | undefined {
  const time = readTime('since', text, clock.nowMs());
  if (time === undefined) return undefined;
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw usageFailure(`--since must be a time or an age such as 12h, not ${text}`);
  return ms;
}

const atOnce = 500;

/** Works on so many at once that a statement can take them. */
export async function inLots<T, R>(
  items: readonly T[],
  work: (lot: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    results.push(...(await work(items.slice(from, from + atOnce))));
  return results;
}

/** Says what a rebuild passes over: the stage that met the batch has written its dead letter, whose replay brings what is missing. */
async function noteUndecodable(
  { process }: Pick<Context, 'process'>,
  { topic, partition, firstOffset, lastOffset, problem }: UndecodableBatch,
): Promise<void> {
  process.stderr.write(
    `${topic}, partition ${partition}: offsets ${firstOffset} to ${lastOffset} are left out, since the batch ${problem}. Replay its dead letter (undecodable_batch)\n`,
  );
}

type AvroCodecOptions = Parameters<typeof createEventCodec>[0];

interface Rebuilding<Value> {
  /** The topic that is read. */
  topic: 'events' | 'delivery.attempts';
  createCodec(options: AvroCodecOptions): Part & { decode(bytes: Buffer): Promise<Value> };
  work(stores: Stores<Value>): Promise<number>;
}

/** A rebuild reads Kafka and writes to Postgres. */
interface Stores<Value> {
  postgres: Query;
  kafka: KafkaAccess & Pick<AvroCodecOptions, 'clock' | 'log'>;
  topics: Readonly<Record<TopicName, string>>;
  /** Reads the topic once. */
  read(take: (values: readonly Value[]) => Promise<void>): Promise<void>;
}

const name = 'hookline-rebuild';
const statementTimeoutMs = 30_000;

/** Opens the stores for the work. @returns its exit code */
export async function rebuild<Value>(
  { since }: RebuildValues,
  context: Context,
  { topic, createCodec, work }: Rebuilding<Value>,
): Promise<number> {
  const sinceMs = readSince(since, context);
  const config = loadRebuildConfig(context);
  const { topicPrefix, schemaRegistryUrl: registryUrl } = config;
  const topics = topicsOf(topicPrefix);
  const log = silentLogger;
  const kafka = { ...kafkaAccess(config), clock: context.clock, log };
  const access = { ...postgresAccess(config), applicationName: name, maxConnections: 1, statementTimeoutMs, log };
  const postgres = createPostgres(access);
  const codec = createCodec({ ...kafka, registryUrl, topic: topics[topic], schema: readSchema(topic) });
  await postgres.start();
  try {
    await codec.start();
    return await work({
      postgres,
      kafka,
      topics,
      read: (take) =>
        readTopic({
          ...kafka,
          clientId: name,
          topic: topics[topic],
          groupId: `${topicPrefix}rebuild-${randomUUID()}`,
          sinceMs,
          onUndecodable: (batch) => noteUndecodable(context, batch),
          async handle(records) {
            const values: Value[] = [];
            for (const { value } of records) values.push(await codec.decode(value));
            await take(values);
          },
        }),
    });
  } finally {
    await codec.stop();
    await postgres.stop();
  }
}
