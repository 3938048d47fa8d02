import {
  commitIntervalField,
  type ConfigOf,
  consumerFields,
  fanOutFields,
  gatherField,
  integer,
  kafkaFields,
  kafkaRelations,
  postgresFields,
  postgresRelations,
  producerFields,
  readConfig,
  redisFields,
  redisRelations,
  registryFields,
  serviceFields,
  serviceRelations,
} from '#lib/config';

export const fields = {
  ...serviceFields(9082),
  ...kafkaFields,
  ...producerFields,
  ...consumerFields,
  ...redisFields,
  ...postgresFields,
  ...registryFields,
  ...fanOutFields,
  gatherMs: gatherField,
  commitIntervalMs: commitIntervalField,
  redisTimeLimitMs: integer('HOOKLINE_DEDUP_REDIS_TIME_LIMIT_MS', {
    default: '200',
    min: 10,
    max: 10_000,
    help: 'time-out for Redis per batch; after that Postgres decides alone',
  }),
  keepExpiredSeconds: integer('HOOKLINE_DEDUP_KEEP_EXPIRED_SECONDS', {
    default: String(8 * 24 * 3600),
    min: 3600,
    max: 365 * 24 * 3600,
    help: 'time for which expired deduplication keys are kept; must exceed the retention of webhooks.received, or a record that waited there would count as new',
  }),
};

export type DedupConfig = ConfigOf<typeof fields>;

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): DedupConfig =>
  readConfig(fields, env, [serviceRelations, kafkaRelations, postgresRelations, redisRelations]);
