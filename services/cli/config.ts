import { readKeyValueFile } from '#deploy/local/key-value-file.ts';
import { stackFiles } from '#deploy/local/paths.ts';
import {
  type ConfigOf,
  encryptionFields,
  integer,
  kafkaFields,
  kafkaRelations,
  oneOf,
  postgresFields,
  type Problem,
  readConfig,
  registryFields,
  text,
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

const baseUrl = /^https?:\/\/[^/?#]+(\/[^?#]*)?$/;

/** What commands need that ask the API. */
export const apiFields = {
  apiUrl: text('HOOKLINE_API_URL', {
    default: 'http://127.0.0.1:8081',
    pattern: baseUrl,
    help: 'the API, without /v1',
  }),
  adminKey: text('HOOKLINE_ADMIN_KEY', {
    secret: true,
    pattern: /^[\x21-\x7e]+$/,
    help: 'the key to ask the API with',
  }),
};

/** What `hookline send` needs besides, where it is not told where to send. */
export const ingressFields = {
  ingressUrl: text('HOOKLINE_INGRESS_URL', {
    default: 'http://127.0.0.1:8080',
    pattern: baseUrl,
    help: 'the ingress, without /v1',
  }),
};

/** What `hookline reseal-secrets` needs. */
export const resealFields = { ...postgresFields, ...encryptionFields };

/** What `hookline rebuild` needs. */
export const rebuildFields = { ...kafkaFields, ...postgresFields, ...registryFields };

/** All of them, for the documentation. */
export const fields = { ...setupFields, ...apiFields, ...ingressFields, ...resealFields, ...rebuildFields };

/** The environment, and what it does not set from the file that `make up` writes. */
export const environment = (file = stackFiles.localEnv, env = process.env): NodeJS.ProcessEnv => ({
  ...readKeyValueFile(file),
  ...env,
});

export const loadSetupConfig = (): SetupConfig =>
  readConfig<typeof setupFields>(setupFields, environment(), [kafkaRelations, noLoneReplica]);

export const loadApiConfig = (): ConfigOf<typeof apiFields> => readConfig(apiFields, environment());
export const loadIngressConfig = (): ConfigOf<typeof ingressFields> => readConfig(ingressFields, environment());
export const loadRebuildConfig = (): ConfigOf<typeof rebuildFields> =>
  readConfig<typeof rebuildFields>(rebuildFields, environment(), [kafkaRelations]);
export const loadResealConfig = (): ConfigOf<typeof resealFields> => readConfig(resealFields, environment());

/** Two replicas with min.insync 1 lose acknowledged records with one broker; with 2 they stop with one. Three is the way. */
function noLoneReplica(config: SetupConfig): Problem[] {
  return config.topicReplication === 2
    ? ['HOOKLINE_TOPIC_REPLICATION=2 is neither durable nor available: take 3 (or 1 to try things)']
    : [];
}
