import {
  type ConfigOf,
  encryptionFields,
  type Fields,
  integer,
  kafkaFields,
  kafkaRelations,
  oneOf,
  postgresFields,
  postgresRelations,
  type Problem,
  readConfig,
  registryFields,
  text,
} from '#lib/config';
import type { Context, Env, Terminal } from './context.ts';
import { readLocalEnv } from './local-env.ts';

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

type SetupConfig = ConfigOf<typeof setupFields>;

const baseUrl = /^https?:\/\/[^/?#]+(\/[^?#]*)?$/;

/** For commands that call the API. */
export const apiFields = {
  apiUrl: text('HOOKLINE_API_URL', {
    default: 'http://127.0.0.1:8081',
    pattern: baseUrl,
    help: 'URL of the API, without /v1',
  }),
  cliApiUrl: text('HOOKLINE_CLI_API_URL', {
    default: '',
    pattern: new RegExp(`^$|${baseUrl.source}`),
    help: 'URL of the API for commands, where HOOKLINE_API_URL is its public one: for commands in a pod of the api; empty: HOOKLINE_API_URL',
  }),
  adminKey: text('HOOKLINE_ADMIN_KEY', {
    secret: true,
    pattern: /^[\x21-\x7e]+$/,
    help: 'the admin key, or an API key',
  }),
};

/** For `hookline send`. */
const ingressFields = {
  ingressUrl: text('HOOKLINE_INGRESS_URL', {
    default: 'http://127.0.0.1:8080',
    pattern: baseUrl,
    help: 'URL of the ingress, without /v1',
  }),
};

/** For `hookline console`. */
const consoleFields = {
  consoleUrl: text('HOOKLINE_CONSOLE_URL', {
    default: 'http://127.0.0.1:8082',
    pattern: baseUrl,
    help: 'URL of the console',
  }),
};

/** For `hookline reseal-secrets`. */
export const resealFields = { ...postgresFields, ...encryptionFields };

/** For `hookline rebuild`. */
const rebuildFields = { ...kafkaFields, ...postgresFields, ...registryFields };

/** All settings, for the documentation. */
export const fields = {
  ...setupFields,
  ...apiFields,
  ...ingressFields,
  ...consoleFields,
  ...resealFields,
  ...rebuildFields,
};

/** For main.ts alone; everything else is given it. */
export const environmentOfProcess = (): Env => process.env;

type Settings = Pick<Context, 'env' | 'localEnvFile'>;

/** The environment, with missing settings from the file that `make up` writes. */
export const environment = ({ env, localEnvFile }: Settings): Env => ({ ...readLocalEnv(localEnvFile), ...env });

const loading =
  <F extends Fields>(fieldsOf: F, relations: ((config: ConfigOf<F>) => Problem[])[] = []) =>
  (settings: Settings): ConfigOf<F> =>
    readConfig(fieldsOf, environment(settings), relations);

export const loadSetupConfig = loading(setupFields, [kafkaRelations, postgresRelations, noLoneReplica]);
export const loadIngressConfig = loading(ingressFields);
export const loadConsoleConfig = loading(consoleFields);
export const loadRebuildConfig = loading(rebuildFields, [kafkaRelations, postgresRelations]);
export const loadResealConfig = loading(resealFields, [postgresRelations]);

export function loadApiConfig(settings: Settings): ConfigOf<typeof apiFields> {
  const config = readConfig(apiFields, environment(settings));
  return config.cliApiUrl === '' ? config : { ...config, apiUrl: config.cliApiUrl };
}

/** With two replicas, min.insync 1 loses acknowledged records with one broker, and min.insync 2 stops with one. Three is the minimum. */
function noLoneReplica(config: SetupConfig): Problem[] {
  return config.topicReplication === 2
    ? ['HOOKLINE_TOPIC_REPLICATION=2 is neither durable nor available: use 3 (or 1 for a trial)']
    : [];
}

/** Whether windows can be shown to whoever runs the command. */
export const hasDisplay = (env: Env, platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'darwin' || [env.DISPLAY, env.WAYLAND_DISPLAY].some((name) => name !== undefined && name !== '');

/** Only terminals get colours, and none of a person who does not want them: https://no-color.org. */
export const hasColour = ({ isTTY = false }: Terminal, env: Env): boolean =>
  isTTY && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';

/** How wide tables may be; undefined for a file or a pipe, which are read by programs too, unless `COLUMNS` says it. */
export function columnsOf({ columns }: Terminal, env: Env): number | undefined {
  const width = columns ?? Number(env.COLUMNS);
  return width > 0 ? Math.max(width, leastColumns) : undefined;
}

/** Narrower, a line has no room for an id. */
const leastColumns = 40;
