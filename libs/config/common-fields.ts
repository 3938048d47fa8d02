import { shortestPayloadRetentionDays, usualEndpointLimits } from '#lib/contract';
import { type ConfigOf, flag, integer, list, oneOf, type Problem, text } from './fields.ts';
import { tracingFields, tracingRelations } from './tracing-fields.ts';

/** Settings of every process. `defaultAdminPort` differs by service so that all services fit on one machine. */
export const serviceFields = (defaultAdminPort: number) => ({
  environment: oneOf('HOOKLINE_ENV', ['production', 'development', 'test'], {
    default: 'production',
    help: 'production refuses settings for development only (crash points, a missing encryption key)',
  }),
  logLevel: oneOf('HOOKLINE_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    help: 'minimum level that is logged',
  }),
  host: text('HOOKLINE_HOST', { default: '0.0.0.0', help: 'address that all listeners of the process bind to' }),
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
    help: 'time for in-flight work to finish after SIGTERM; keep it below the grace period of the supervisor',
  }),
  crashPoint: text('HOOKLINE_CRASH_POINT', {
    default: '',
    pattern: /^$|^[a-z-]+\.[a-z-]+(@\d{1,9})?$/,
    help: 'fault tests only: the process kills itself at this crash point, the n-th time it gets there (`dedup.after-claim@3`)',
  }),
  ...tracingFields,
});

export const registryFields = {
  schemaRegistryUrl: text('HOOKLINE_SCHEMA_REGISTRY_URL', {
    pattern: /^https?:\/\//,
    help: 'schema registry with the Confluent API; credentials as `user:password@` before the host',
  }),
};

export const encryptionFields = {
  encryptionKeys: list('HOOKLINE_ENCRYPTION_KEYS', {
    secret: true,
    help: 'AES-256-GCM keys for secrets at rest, comma-separated, each `id:base64 of 32 bytes`; the first encrypts, all decrypt; keys that sign trails and dry runs derive from them',
  }),
};

/** For services that publish events. The maximum is `maxEventSetEndpoints` of libs/contract. */
export const fanOutFields = {
  fanOutAtOnce: integer('HOOKLINE_FAN_OUT_AT_ONCE', {
    default: '32',
    min: 0,
    max: 32,
    help: 'events for up to this many endpoints are fanned out when they are published, all others by the dispatcher; 0: all by the dispatcher',
  }),
};

export const payloadRetentionField = integer('HOOKLINE_PAYLOAD_RETENTION_DAYS', {
  default: String(usualEndpointLimits.payloadRetentionDays),
  min: shortestPayloadRetentionDays,
  max: 3_649,
  help: 'days for which payloads and attempts are kept (longer while an open delivery needs them); set the same value for projector, api and dispatcher',
});

export const endpointFailingField = integer('HOOKLINE_ENDPOINT_FAILING_SECONDS', {
  default: String(5 * 24 * 3600),
  min: 10,
  max: 365 * 24 * 3600,
  help: 'an endpoint is disabled after failing without a success for this time; set the same value for dispatcher and api',
});

/** Relations that hold for every service. */
export function serviceRelations(config: ConfigOf<ReturnType<typeof serviceFields>>): Problem[] {
  const problems = tracingRelations(config);
  if (config.environment === 'production' && config.crashPoint !== '')
    problems.push('HOOKLINE_CRASH_POINT is not allowed with HOOKLINE_ENV=production');
  return problems;
}

export const allowHttpField = flag('HOOKLINE_ALLOW_HTTP', {
  default: 'false',
  help: 'allow endpoints with plain http (for local stacks)',
});
export const allowedNetworksField = list('HOOKLINE_ALLOWED_NETWORKS', {
  default: '',
  allowEmpty: true,
  help: 'private networks in which endpoints are allowed, as comma-separated CIDRs; all others are blocked',
});
