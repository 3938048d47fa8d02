import { type ConfigOf, flag, integer, list, oneOf, type Problem, text } from './fields.ts';
import { tracingFields, tracingRelations } from './tracing-fields.ts';

/** The settings of every process. `defaultAdminPort` differs by service so that all of them fit on one machine. */
export const serviceFields = (defaultAdminPort: number) => ({
  environment: oneOf('HOOKLINE_ENV', ['production', 'development', 'test'], {
    default: 'production',
    help: 'production refuses what is for trying things only (crash points, an encryption key that is missing)',
  }),
  logLevel: oneOf('HOOKLINE_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    help: 'the least level that is logged',
  }),
  host: text('HOOKLINE_HOST', { default: '0.0.0.0', help: 'the address that all listeners of the process bind to' }),
  adminPort: integer('HOOKLINE_ADMIN_PORT', {
    default: String(defaultAdminPort),
    min: 0,
    max: 65_535,
    help: 'port of /metrics, /livez and /readyz',
  }),
  shutdownTimeoutMs: integer('HOOKLINE_SHUTDOWN_TIMEOUT_MS', {
    default: '20000',
    min: 1_000,
    max: 600_000,
    help: 'how long SIGTERM waits for work in flight; keep it below the supervisor’s grace period',
  }),
  crashPoint: text('HOOKLINE_CRASH_POINT', {
    default: '',
    pattern: /^$|^[a-z-]+\.[a-z-]+(@\d{1,9})?$/,
    help: 'fault tests only: kill -9 at this named point, at its n-th passing (`dedup.after-claim@3`)',
  }),
  ...tracingFields,
});

export const redisFields = {
  redisUrl: text('HOOKLINE_REDIS_URL', {
    default: 'redis://127.0.0.1:6379',
    pattern: /^rediss?:\/\//,
    help: 'Redis, 7.0 or later, with maxmemory-policy noeviction',
  }),
};

export const postgresFields = {
  databaseUrl: text('HOOKLINE_DATABASE_URL', { pattern: /^postgres(ql)?:\/\//, help: 'Postgres, 15 or later' }),
};

export const registryFields = {
  schemaRegistryUrl: text('HOOKLINE_SCHEMA_REGISTRY_URL', {
    pattern: /^https?:\/\//,
    help: 'schema registry that speaks the Confluent API; with `user:password@` before its host where it asks for them',
  }),
};

export const encryptionFields = {
  encryptionKeys: list('HOOKLINE_ENCRYPTION_KEYS', {
    secret: true,
    help: 'AES-256-GCM keys for secrets at rest as `id:base64 of 32 bytes`, by comma; the first encrypts, all decrypt',
  }),
};

/** For services that publish events. The maximum is `maxEventSetEndpoints` of libs/contract. */
export const fanOutFields = {
  fanOutAtOnce: integer('HOOKLINE_FAN_OUT_AT_ONCE', {
    default: '32',
    min: 0,
    max: 32,
    help: 'an event for no more endpoints than these is fanned out together with its publication; the dispatcher fans out the others; 0: all of them',
  }),
};

export const payloadRetentionField = integer('HOOKLINE_PAYLOAD_RETENTION_DAYS', {
  default: '30',
  // More than the three days for which deliveries are retried by default.
  min: 4,
  max: 3_649,
  help: 'days for which payloads and attempts are kept, and longer where a delivery that is open needs them; the same for projector, api and dispatcher',
});

/** Relations that hold for every service. */
export function serviceRelations(config: ConfigOf<ReturnType<typeof serviceFields>>): Problem[] {
  const problems = tracingRelations(config);
  if (config.environment === 'production' && config.crashPoint !== '')
    problems.push('HOOKLINE_CRASH_POINT must not be set where HOOKLINE_ENV=production');
  return problems;
}

export const allowHttpField = flag('HOOKLINE_ALLOW_HTTP', {
  default: 'false',
  help: 'endpoints may be plain http (for local stacks)',
});
export const allowedNetworksField = list('HOOKLINE_ALLOWED_NETWORKS', {
  default: '',
  allowEmpty: true,
  help: 'private networks that endpoints may be in, as CIDR by comma; all others stay refused',
});
