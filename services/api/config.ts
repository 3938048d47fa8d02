import {
  allowedNetworksField,
  allowHttpField,
  type ConfigOf,
  encryptionFields,
  fanOutFields,
  integer,
  kafkaFields,
  kafkaRelations,
  payloadRetentionField,
  postgresFields,
  readConfig,
  redisFields,
  registryFields,
  serviceFields,
  serviceRelations,
  text,
} from '#lib/config';
import { tenantLimitsField } from '#lib/tenancy';

export const fields = {
  ...serviceFields(9081),
  ...postgresFields,
  ...redisFields,
  ...encryptionFields,
  ...kafkaFields,
  ...registryFields,
  ...fanOutFields,
  port: integer('HOOKLINE_API_PORT', { default: '8081', min: 0, max: 65_535, help: 'port of the API' }),
  adminKey: text('HOOKLINE_ADMIN_KEY', {
    secret: true,
    pattern: /^[\x21-\x7e]{16,512}$/,
    help: 'bearer key that may do everything in every tenant; 16 characters or more, no spaces',
  }),
  keyRatePerSecond: integer('HOOKLINE_API_KEY_RATE_PER_SECOND', {
    default: '100',
    min: 1,
    max: 1_000_000,
    help: 'requests a second that an API key may make, where it has no rate_limit of its own; the admin key has no limit',
  }),
  keyRateBurst: integer('HOOKLINE_API_KEY_RATE_BURST', {
    default: '200',
    min: 1,
    max: 1_000_000,
    help: 'and as many at once, after a pause',
  }),
  idempotencyLockSeconds: integer('HOOKLINE_IDEMPOTENCY_LOCK_SECONDS', {
    default: '90',
    min: 1,
    max: 600,
    help: 'how long a request with an Idempotency-Key keeps others with the key waiting when its process is not heard of',
  }),
  idempotencyTtlSeconds: integer('HOOKLINE_IDEMPOTENCY_TTL_SECONDS', {
    default: '259200',
    min: 1,
    max: 2_592_000,
    help: 'how long the answer to such a request is kept and replayed',
  }),
  apiUrl: text('HOOKLINE_API_URL', {
    default: '',
    pattern: /^$|^https?:\/\/[^/?#]+(\/[^?#]*)?$/,
    help: 'this API as its clients reach it, the base of links in its answers; empty: as the request’s Host has it',
  }),
  ingressUrl: text('HOOKLINE_INGRESS_URL', {
    default: 'http://127.0.0.1:8080',
    pattern: /^https?:\/\/[^/?#]+(\/[^?#]*)?$/,
    help: 'the ingress as senders reach it, the base of each source’s ingest_url',
  }),
  pollIntervalSeconds: integer('HOOKLINE_POLL_INTERVAL_SECONDS', {
    default: '5',
    min: 1,
    max: 3_600,
    help: 'what clients that poll are asked to let pass between two requests (X-Poll-Interval)',
  }),
  maxHeldPerKey: integer('HOOKLINE_LONGPOLL_MAX_PER_KEY', {
    default: '1000',
    min: 1,
    max: 1_000_000,
    help: 'requests with `wait` that are held at once for a key and tenant; beyond it, 429',
  }),
  maxHeld: integer('HOOKLINE_LONGPOLL_MAX', {
    default: '10000',
    min: 1,
    max: 1_000_000,
    help: 'requests with `wait` that the process holds at once, each of them a connection; beyond it, 503',
  }),
  payloadRetentionDays: payloadRetentionField,
  tenantLimits: tenantLimitsField,
  allowHttp: allowHttpField,
  allowedNetworks: allowedNetworksField,
};

export type ApiConfig = ConfigOf<typeof fields>;

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ApiConfig =>
  readConfig(fields, env, [serviceRelations, kafkaRelations]);
