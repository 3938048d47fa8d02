import { randomBytes } from 'node:crypto';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { withCompileCache } from './compile-cache.ts';
import { createHousing, type Housing, type ProcessMode, usualMode } from './housing.ts';
import { type ProcessName, serviceOf } from './process-names.ts';
import { pipelineServices, type Stack } from './stack.ts';

export interface EnvironmentOptions {
  servers: { kafkaBrokers: readonly string[]; redisUrl: string; schemaRegistryUrl: string };
  topicPrefix: string;
  databaseUrl: string;
  /** Default: one of each that works on events, so without the console. */
  services?: readonly ProcessName[];
  /** Processes that come later, if at all. */
  visitors?: readonly ProcessName[];
  /** Default: HOOKLINE_TEST_PROCESSES, else one process each. */
  processes?: ProcessMode | undefined;
  /** The program that runs several in one. Default: the command line. */
  serveWith?: string;
  /** How soon groups continue without a killed process. Default: production's. */
  sessionTimeoutMs?: number;
  /** Added to every service's environment. */
  env?: Readonly<Record<string, string>>;
  /** Additional variables of one process. */
  envOf?(name: ProcessName): Readonly<Record<string, string>>;
}

/** The addresses of a pipeline's processes, and the environment of each. */
export interface Environment {
  stack: Stack;
  /** For processes that serve others. */
  publicUrl(name: ProcessName): string;
  adminUrl(name: ProcessName): string;
  /** Variables of every process, also those besides the services. */
  common: Readonly<Record<string, string>>;
  /** For the process that it runs in. */
  of(name: ProcessName): Readonly<Record<string, string>>;
  housing: Housing;
  /** All processes that may run. */
  names: readonly ProcessName[];
}

/** Below the time after which who stops them sends SIGKILL. */
const shutdownTimeoutMs = 20_000;

export async function createEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { servers, topicPrefix, databaseUrl } = options;
  const names = [
    ...new Set<ProcessName>([...pipelineServices, ...(options.services ?? []), ...(options.visitors ?? [])]),
  ];
  const housing = createHousing(
    options.processes ?? usualMode(),
    options.services ?? pipelineServices,
    options.serveWith,
  );
  const ports = await freePorts(2 * names.length);
  const urlAt = (port: number | undefined): string => `http://127.0.0.1:${port}`;
  const publicUrl = (name: ProcessName): string => urlAt(ports[names.indexOf(name)]);
  const adminUrl = (name: ProcessName): string => urlAt(ports[names.length + names.indexOf(name)]);
  const stack: Stack = {
    ingressUrl: publicUrl('ingress'),
    apiUrl: publicUrl('api'),
    adminKey: `admin-${randomBytes(16).toString('hex')}`,
    kafkaBrokers: servers.kafkaBrokers,
    topicPrefix,
    databaseUrl,
    schemaRegistryUrl: servers.schemaRegistryUrl,
  };
  const common: Record<string, string> = {
    ...withCompileCache,
    HOOKLINE_ENV: 'test',
    HOOKLINE_HOST: '127.0.0.1',
    HOOKLINE_KAFKA_BROKERS: servers.kafkaBrokers.join(','),
    HOOKLINE_TOPIC_PREFIX: topicPrefix,
    HOOKLINE_TOPIC_PARTITIONS: '3',
    HOOKLINE_TOPIC_REPLICATION: '1',
    HOOKLINE_REDIS_URL: servers.redisUrl,
    HOOKLINE_DATABASE_URL: databaseUrl,
    HOOKLINE_SCHEMA_REGISTRY_URL: servers.schemaRegistryUrl,
    HOOKLINE_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    HOOKLINE_ADMIN_KEY: stack.adminKey,
    HOOKLINE_CATALOG_KEY: stack.adminKey,
    HOOKLINE_INGRESS_URL: stack.ingressUrl,
    HOOKLINE_API_URL: stack.apiUrl,
    HOOKLINE_ALLOW_HTTP: 'true',
    // Tests retry sooner than operators let their tenants.
    HOOKLINE_MIN_RETRY_SECONDS: '0',
    HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
    HOOKLINE_SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs),
    ...(options.sessionTimeoutMs !== undefined && {
      HOOKLINE_KAFKA_SESSION_TIMEOUT_MS: String(options.sessionTimeoutMs),
    }),
    ...options.env,
  };
  const portOf = (url: string): string => new URL(url).port;
  const ofOne = (name: ProcessName): Record<string, string> => {
    const service = serviceOf(name);
    const isShared = housing.housemates(name).length > 1;
    const adminPort = isShared ? `HOOKLINE_${service.toUpperCase()}_ADMIN_PORT` : 'HOOKLINE_ADMIN_PORT';
    return {
      [adminPort]: portOf(adminUrl(name)),
      ...(service === 'api' && { HOOKLINE_API_PORT: portOf(publicUrl(name)) }),
      ...(service === 'ingress' && { HOOKLINE_INGRESS_PORT: portOf(publicUrl(name)) }),
      ...(service === 'console' && { HOOKLINE_CONSOLE_PORT: portOf(publicUrl(name)) }),
      ...options.envOf?.(name),
    };
  };
  return {
    stack,
    publicUrl,
    adminUrl,
    common,
    of: (name) => Object.assign({}, common, ...housing.housemates(name).map(ofOne)) as Record<string, string>,
    housing,
    names,
  };
}
