import {
  type ConfigOf,
  encryptionFields,
  integer,
  kafkaFields,
  postgresFields,
  type Problem,
  readConfig,
  serviceFields,
  serviceRelations,
} from '#lib/config';

/** Within this, every webhook whose body is there is answered. */
const acknowledgmentMs = 2_000;

export const fields = {
  ...serviceFields(9080),
  ...kafkaFields,
  ...postgresFields,
  ...encryptionFields,
  port: integer('HOOKLINE_INGRESS_PORT', {
    default: '8080',
    min: 0,
    max: 65_535,
    help: 'port that webhooks are received on',
  }),
  bodyTimeoutMs: integer('HOOKLINE_INGRESS_BODY_TIMEOUT_MS', {
    default: '10000',
    min: 100,
    max: 120_000,
    help: 'what a sender has for its whole body, before it gets 408',
  }),
  maxReadingBytes: integer('HOOKLINE_INGRESS_MAX_READING_BYTES', {
    default: String(128 * 1024 * 1024),
    min: 1024 * 1024,
    max: 16 * 1024 * 1024 * 1024,
    help: 'memory for bodies that are being read, all together; beyond it, 503',
  }),
  maxPendingBytes: integer('HOOKLINE_INGRESS_MAX_PENDING_BYTES', {
    default: String(64 * 1024 * 1024),
    min: 1024 * 1024,
    max: 16 * 1024 * 1024 * 1024,
    help: 'memory for records that Kafka has not acknowledged yet, all together; beyond it, 503',
  }),
};

export type IngressConfig = ConfigOf<typeof fields>;

/** A body that has begun to arrive when the process is told to stop, and its acknowledgment, must fit into the time for stopping. */
const stopsInTime = (config: IngressConfig): Problem[] =>
  config.shutdownTimeoutMs < config.bodyTimeoutMs + acknowledgmentMs
    ? [`HOOKLINE_SHUTDOWN_TIMEOUT_MS must be at least ${acknowledgmentMs} more than HOOKLINE_INGRESS_BODY_TIMEOUT_MS`]
    : [];

export const loadConfig = (): IngressConfig => readConfig(fields, process.env, [serviceRelations, stopsInTime]);
