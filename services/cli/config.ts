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
import { localEnvFile, readLocalEnv } from './local-env.ts';

/** For `hookline setup`. */
export const setupFields = {
  ...kafkaFields,
  ...postgresFields,
  ...registryFields,
  logLevel: oneOf('HOOKLINE_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    help: 'minimum level that is logged',
  }),
  topicPartitions: integer('HOOKLINE_TOPIC_PARTITIONS', {
    default: '12',
    min: 1,
    max: 10_000,
    help: 'partitions of topics that `hookline setup` creates',
  }),
  topicReplication: integer('HOOKLINE_TOPIC_REPLICATION', {
    default: '3',
    min: 1,
    max: 9,
    help: 'replication factor of topics that `hookline setup` creates',
  }),
};

export type SetupConfig = ConfigOf<typeof setupFields>;

const baseUrl = /^https?:\/\/[^/?#]+(\/[^?#]*)?$/;

/** For commands that call the API. */
export const apiFields = {
  apiUrl: text('HOOKLINE_API_URL', {
    default: 'http://127.0.0.1:8081',
    pattern: baseUrl,
    help: 'URL of the API, without /v1',
  }),
  adminKey: text('HOOKLINE_ADMIN_KEY', {
    secret: true,
    pattern: /^[\x21-\x7e]+$/,
    help: 'the admin key, or an API key',
  }),
};

/** For `hookline send`. */
export const ingressFields = {
  ingressUrl: text('HOOKLINE_INGRESS_URL', {
    default: 'http://127.0.0.1:8080',
    pattern: baseUrl,
    help: 'URL of the ingress, without /v1',
  }),
};

/** For `hookline console`. */
export const consoleFields = {
  consoleUrl: text('HOOKLINE_CONSOLE_URL', {
    default: 'http://127.0.0.1:8082',
    pattern: baseUrl,
    help: 'URL of the console',
  }),
};

/** For `hookline reseal-secrets`. */
export const resealFields = { ...postgresFields, ...encryptionFields };

/** For `hookline rebuild`. */
export const rebuildFields = { ...kafkaFields, ...postgresFields, ...registryFields };

/** All settings, for the documentation. */
export const fields = {
  ...setupFields,
  ...apiFields,
  ...ingressFields,
  ...consoleFields,
  ...resealFields,
  ...rebuildFields,
};

/** The environment, with missing settings from the file that `make up` writes. */
export const environment = (file = localEnvFile, env = process.env): NodeJS.ProcessEnv => ({
  ...readLocalEnv(file),
  ...env,
});

export const loadSetupConfig = (): SetupConfig =>
  readConfig<typeof setupFields>(setupFields, environment(), [kafkaRelations, noLoneReplica]);

export const loadApiConfig = (): ConfigOf<typeof apiFields> => readConfig(apiFields, environment());
export const loadIngressConfig = (): ConfigOf<typeof ingressFields> => readConfig(ingressFields, environment());
export const loadConsoleConfig = (): ConfigOf<typeof consoleFields> => readConfig(consoleFields, environment());
export const loadRebuildConfig = (): ConfigOf<typeof rebuildFields> =>
  readConfig<typeof rebuildFields>(rebuildFields, environment(), [kafkaRelations]);
export const loadResealConfig = (): ConfigOf<typeof resealFields> => readConfig(resealFields, environment());

/** With two replicas, min.insync 1 loses acknowledged records with one broker, and min.insync 2 stops with one. Three is the minimum. */
function noLoneReplica(config: SetupConfig): Problem[] {
  return config.topicReplication === 2
    ? ['HOOKLINE_TOPIC_REPLICATION=2 is neither durable nor available: use 3 (or 1 for a trial)']
    : [];
}

/** Whether windows can be shown to whoever runs the command. */
export const hasDisplay = (env = process.env, platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'darwin' || [env.DISPLAY, env.WAYLAND_DISPLAY].some((name) => name !== undefined && name !== '');
