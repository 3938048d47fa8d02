import type { Clock } from '#lib/clock';
import { type TopicName, topicsOf } from '#lib/contract';
import { kafkaAccess } from '#lib/kafka';
import { silentLogger } from '#lib/log';
import { createPostgres, postgresAccess, type Query } from '#lib/postgres';
import { loadRebuildConfig } from '../../config.ts';
import type { Context } from '../../context.ts';

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
