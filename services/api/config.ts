import {
  allowedNetworksField,
  allowHttpField,
  type ConfigOf,
  decimal,
  encryptionFields,
  endpointFailingField,
  fanOutFields,
  integer,
  kafkaFields,
  kafkaRelations,
  list,
  payloadRetentionField,
  postgresFields,
  postgresRelations,
  producerFields,
  proxyRelations,
  readConfig,
  redisFields,
  redisRelations,
  registryFields,
  serviceFields,
  serviceRelations,
  text,
  trustedProxiesField,
} from '#lib/config';
import { endpointDefaults, usualEndpointLimits } from '#lib/contract';
import { tenantLimitsField } from '#lib/tenancy';

export const fields = {
  ...serviceFields(9081),
  ...postgresFields,
  ...redisFields,
  ...encryptionFields,
  ...kafkaFields,
  ...producerFields,
  ...registryFields,
  ...fanOutFields,
  port: integer('HOOKLINE_API_PORT', { default: '8081', min: 0, max: 65_535, help: 'port of the API' }),
  adminKey: text('HOOKLINE_ADMIN_KEY', {
    secret: true,
    pattern: /^[\x21-\x7e]{16,512}$/,
    help: 'bearer key with all permissions in all tenants; at least 16 characters, no spaces',
  }),
  adminKeys: list('HOOKLINE_ADMIN_KEYS', {
    default: '',
    allowEmpty: true,
    secret: true,
    itemPattern: /^[\x21-\x2b\x2d-\x7e]{16,512}$/,
    help: 'more admin keys, comma-separated, for the time in which the key is changed: docs/runbook.md',
  }),
  keyRatePerSecond: integer('HOOKLINE_API_KEY_RATE_PER_SECOND', {
    default: '100',
    min: 1,
    max: 1_000_000,
    help: 'requests per second for API keys without their own rate_limit; the admin key has no limit',
  }),
  keyRateBurst: integer('HOOKLINE_API_KEY_RATE_BURST', {
    default: '200',
    min: 1,
    max: 1_000_000,
    help: 'burst size for API keys without their own rate_limit',
  }),
  idempotencyLockSeconds: integer('HOOKLINE_IDEMPOTENCY_LOCK_SECONDS', {
    default: '90',
    min: 1,
    max: 600,
    help: 'lease of an Idempotency-Key: if the process of a request dies, another request with the key can start after this time',
  }),
  idempotencyTtlSeconds: integer('HOOKLINE_IDEMPOTENCY_TTL_SECONDS', {
    default: '259200',
    min: 1,
    max: 2_592_000,
    help: 'time for which the response to a request with an Idempotency-Key is stored and replayed',
  }),
  apiUrl: text('HOOKLINE_API_URL', {
    default: '',
    pattern: /^$|^https?:\/\/[^/?#]+(\/[^?#]*)?$/,
    help: 'public URL of the API, the base of links in responses; empty: taken from the Host header',
  }),
  ingressUrl: text('HOOKLINE_INGRESS_URL', {
    default: 'http://127.0.0.1:8080',
    pattern: /^https?:\/\/[^/?#]+(\/[^?#]*)?$/,
    help: 'public URL of the ingress, the base of ingest_url of sources',
  }),
  portalUrl: text('HOOKLINE_PORTAL_URL', {
    default: '',
    pattern: /^$|^https?:\/\/[^/?#]+(\/[^?#]*)?$/,
    help: 'public URL of the portal, the base of the url of portal links; empty: they have a code alone',
  }),
  portalReturnOrigins: list('HOOKLINE_PORTAL_RETURN_ORIGINS', {
    default: '',
    allowEmpty: true,
    itemPattern: /^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/,
    help: 'origins, comma-separated, that the return_url of a portal link may have, such as https://app.example.com; empty: none',
  }),
  pollIntervalSeconds: integer('HOOKLINE_POLL_INTERVAL_SECONDS', {
    default: '5',
    min: 1,
    max: 3_600,
    help: 'recommended interval between two polls, sent to clients as X-Poll-Interval',
  }),
  maxHeldPerKey: integer('HOOKLINE_LONGPOLL_MAX_PER_KEY', {
    default: '1000',
    min: 1,
    max: 1_000_000,
    help: 'concurrent long polls per API key and tenant; above it, 429',
  }),
  maxHeld: integer('HOOKLINE_LONGPOLL_MAX', {
    default: '10000',
    min: 1,
    max: 1_000_000,
    help: 'concurrent long polls per process, each of them a connection; above it, 503',
  }),
  minRetrySeconds: decimal('HOOKLINE_MIN_RETRY_SECONDS', {
    default: String(usualEndpointLimits.minRetrySeconds),
    min: 0,
    max: endpointDefaults.retry.base_seconds,
    help: 'lower limit of base_seconds, and of each wait of a schedule, that the retry of an endpoint may be given',
  }),
  payloadRetentionDays: payloadRetentionField,
  failingSeconds: endpointFailingField,
  trustedProxies: trustedProxiesField,
  tenantLimits: tenantLimitsField,
  allowHttp: allowHttpField,
  allowedNetworks: allowedNetworksField,
};

export type ApiConfig = ConfigOf<typeof fields>;

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ApiConfig =>
  readConfig(fields, env, [serviceRelations, kafkaRelations, postgresRelations, redisRelations, proxyRelations]);
