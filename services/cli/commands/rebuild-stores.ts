import { type TopicName, topicsOf } from '#lib/contract';
import { kafkaAccess, type UndecodableBatch } from '#lib/kafka';
import { createPostgres, postgresAccess, type Query } from '#lib/postgres';
import { type Clock, silentLogger } from '#lib/runtime';
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
export function readSince(text: string | undefined, { clock }: Context): number | undefined {
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
export async function noteUndecodable(
  { process }: Pick<Context, 'process'>,
  { topic, partition, firstOffset, lastOffset, problem }: UndecodableBatch,
): Promise<void> {
  process.stderr.write(
    `${topic}, partition ${partition}: offsets ${firstOffset} to ${lastOffset} are left out, since the batch ${problem}. Replay its dead letter (undecodable_batch)\n`,
  );
}

/** A rebuild reads Kafka and writes to Postgres. */
export interface Stores {
  postgres: Query;
  kafka: ReturnType<typeof kafkaAccess> & { clock: Clock; log: typeof silentLogger; clientId: string };
  registryUrl: string;
  topicPrefix: string;
  topics: Readonly<Record<TopicName, string>>;
}

const statementTimeoutMs = 30_000;

/** Opens them for the work. */
export async function withStores<T>(context: Context, work: (stores: Stores) => Promise<T>): Promise<T> {
  const config = loadRebuildConfig(context);
  const postgres = createPostgres({
    ...postgresAccess(config),
    applicationName: 'hookline-rebuild',
    maxConnections: 1,
    statementTimeoutMs,
    log: silentLogger,
  });
  await postgres.start();
  try {
    return await work({
      postgres,
      kafka: { ...kafkaAccess(config), clock: context.clock, log: silentLogger, clientId: 'hookline-rebuild' },
      registryUrl: config.schemaRegistryUrl,
      topicPrefix: config.topicPrefix,
      topics: topicsOf(config.topicPrefix),
    });
  } finally {
    await postgres.stop();
  }
}
