import { join } from 'node:path';
import { avroTopics, readSchema, topicDefinitions, topicsOf } from '#lib/contract';
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
import { migrate, postgresAccess } from '#lib/postgres';
import { loadSetupConfig } from '../config.ts';
import type { Context } from '../context.ts';

/** The three are idempotent and independent: if one fails the others are done, and the next run resumes. */
export async function setUp(context: Context): Promise<number> {
  const { clock } = context;
  const config = loadSetupConfig(context);
  const log = createLogger({ service: 'setup', level: config.logLevel });
  const topics = topicsOf(config.topicPrefix);

  const migrating = migrate({
    ...postgresAccess(config),
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

/** Creates missing topics. A topic with another number of partitions keeps it: with more, keys would move to other partitions. */
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
