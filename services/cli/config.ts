import {
  type ConfigOf,
  integer,
  kafkaFields,
  oneOf,
  postgresFields,
  type Problem,
  readConfig,
  registryFields,
} from '#lib/config';

/** What `hookline setup` needs. */
export const setupFields = {
  ...kafkaFields,
  ...postgresFields,
  ...registryFields,
  logLevel: oneOf('HOOKLINE_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    help: 'the least level that is logged',
  }),
  topicPartitions: integer('HOOKLINE_TOPIC_PARTITIONS', {
    default: '12',
    min: 1,
    max: 10_000,
    help: 'partitions of each topic when `hookline setup` creates it',
  }),
  topicReplication: integer('HOOKLINE_TOPIC_REPLICATION', {
    default: '3',
    min: 1,
    max: 9,
    help: 'replicas of each partition when `hookline setup` creates its topic',
  }),
};

export type SetupConfig = ConfigOf<typeof setupFields>;

export const loadSetupConfig = (): SetupConfig =>
  readConfig<typeof setupFields>(setupFields, process.env, [noLoneReplica]);

/** Two replicas with min.insync 1 lose acknowledged records with one broker; with 2 they stop with one. Three is the way. */
function noLoneReplica(config: SetupConfig): Problem[] {
  return config.topicReplication === 2
    ? ['HOOKLINE_TOPIC_REPLICATION=2 is neither durable nor available: take 3 (or 1 to try things)']
    : [];
}
