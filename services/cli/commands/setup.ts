import { join } from 'node:path';
import { systemClock } from '#lib/clock';
import { topicsOf } from '#lib/contract';
import {
  countPartitions,
  createTopics,
  type CreateTopicsOptions,
  type KafkaAccess,
  kafkaAccess,
  registerSchemas,
  type TopicDefinition,
  valueSubject,
} from '#lib/kafka';
import { createLogger } from '#lib/log';
import { migrate } from '#lib/postgres';
import { avroTopics, readSchema } from '#deploy/kafka/schemas.ts';
import { topicDefinitions } from '#deploy/kafka/topics.ts';
import { loadSetupConfig } from '../config.ts';
import { readOptions } from '../options.ts';

export const help = `usage: hookline setup

Brings Postgres, Kafka and the schema registry to what the services need: runs the migrations that have not run,
creates the topics that are missing, registers the schemas. Safe to run again, and before every upgrade.`;

/** Everything is idempotent and independent, so a failure in one leaves the others done, and the next run goes on. */
export async function run(args: readonly string[]): Promise<number> {
  readOptions(args, {});
  const config = loadSetupConfig();
  const log = createLogger({ service: 'setup', level: config.logLevel });
  const clock = systemClock;
  const topics = topicsOf(config.topicPrefix);

  const migrating = migrate({
    url: config.databaseUrl,
    directory: join(import.meta.dirname, '../../../deploy/postgres/migrations'),
    log,
  });
  const definitions = topicDefinitions({
    topicPrefix: config.topicPrefix,
    partitions: config.topicPartitions,
    replicationFactor: config.topicReplication,
  });
  const creating = provideTopics(kafkaAccess(config), definitions, { clock, log });
  const registering = registerSchemas(
    avroTopics.map((topic) => ({ subject: valueSubject(topics[topic]), schema: readSchema(topic) })),
    { registryUrl: config.schemaRegistryUrl, clock, log },
  );

  const [migrations, created, schemaIds] = await Promise.allSettled([migrating, creating, registering]);
  const failures = [migrations, created, schemaIds].filter((result) => result.status === 'rejected');
  for (const failure of failures) log.error({ event: 'setup.failed', err: failure.reason });
  if (migrations.status === 'fulfilled' && created.status === 'fulfilled' && schemaIds.status === 'fulfilled') {
    log.info({ event: 'setup.done', migrations: migrations.value, topics: created.value, schemaIds: schemaIds.value });
  }
  return failures.length === 0 ? 0 : 1;
}

/** Creates what is missing. A topic that has another number of partitions keeps it: more would send keys to other partitions than before. */
async function provideTopics(
  access: KafkaAccess,
  definitions: readonly TopicDefinition[],
  options: CreateTopicsOptions,
): Promise<string[]> {
  const created = await createTopics(access, definitions, options);
  for (const { name, partitions } of definitions.filter((definition) => !created.includes(definition.name))) {
    const found = await countPartitions(access, name, options);
    if (found !== partitions)
      options.log.warn({ event: 'setup.partitions_differ', topic: name, partitions: found, configured: partitions });
  }
  return created;
}
