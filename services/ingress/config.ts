import {
  type ConfigOf,
  encryptionFields,
  gatherField,
  integer,
  kafkaFields,
  kafkaRelations,
  oneOf,
  postgresFields,
  postgresRelations,
  type Problem,
  producerFields,
  readConfig,
  redisFields,
  redisRelations,
  serviceFields,
  serviceRelations,
  text,
  proxyRelations,
  trustedProxiesField,
} from '#lib/config';
import { maxPayloadBytes } from '#lib/contract';
import { answerWithinMs } from './load-shedding/admission.ts';

export const fields = {
  ...serviceFields(9080),
  ...kafkaFields,
  ...producerFields,
  gatherMs: gatherField,
  ...postgresFields,
  ...redisFields,
  ...encryptionFields,
  port: integer('HOOKLINE_INGRESS_PORT', {
    default: '8080',
    min: 0,
    max: 65_535,
    help: 'port for webhooks',
  }),
  bodyTimeoutMs: integer('HOOKLINE_INGRESS_BODY_TIMEOUT_MS', {
    default: '10000',
    min: 100,
    max: 120_000,
    help: 'time for the whole request body to arrive; after that, 408',
  }),
  maxReadingBytes: integer('HOOKLINE_INGRESS_MAX_READING_BYTES', {
    default: String(128 * 1024 * 1024),
    min: maxPayloadBytes,
    max: 16 * 1024 * 1024 * 1024,
    help: 'memory for all request bodies that are being read; above it, 503',
  }),
  maxPendingBytes: integer('HOOKLINE_INGRESS_MAX_PENDING_BYTES', {
    default: String(64 * 1024 * 1024),
    min: maxPayloadBytes,
    max: 16 * 1024 * 1024 * 1024,
    help: 'memory for all records that Kafka has not acknowledged yet; above it, 503',
  }),
  maxPendingRecords: integer('HOOKLINE_INGRESS_MAX_PENDING_RECORDS', {
    default: '20000',
    min: 1,
    max: 10_000_000,
    help: 'number of records that Kafka has not acknowledged yet; above it, 503',
  }),
  maxConnections: integer('HOOKLINE_INGRESS_MAX_CONNECTIONS', {
    default: '10000',
    min: 1,
    max: 1_000_000,
    help: 'open connections; above it, 503; 10 % above it, new connections are closed without a response',
  }),
  maxDelayMs: integer('HOOKLINE_INGRESS_MAX_DELAY_MS', {
    default: '150',
    min: 0,
    max: 1_000,
    help: 'longest delay of the response to an accepted webhook while deliveries of its tenant are late; 0: none',
  }),
  trustedProxies: trustedProxiesField,
  tlsCertFile: text('HOOKLINE_TLS_CERT_FILE', {
    default: '',
    help: 'PEM file of the certificate and its chain; if set, only HTTPS is accepted',
  }),
  tlsKeyFile: text('HOOKLINE_TLS_KEY_FILE', { default: '', help: 'PEM file of the private key of the certificate' }),
  tlsClientCaFile: text('HOOKLINE_TLS_CLIENT_CA_FILE', {
    default: '',
    help: 'PEM file of the CAs whose client certificates are accepted',
  }),
  tlsClientCertificates: oneOf('HOOKLINE_TLS_CLIENT_CERTIFICATES', ['none', 'optional', 'required'], {
    default: 'none',
    help: 'client certificates. optional: sources can require one; required: every connection needs one',
  }),
  rejectionRetentionDays: integer('HOOKLINE_REJECTION_RETENTION_DAYS', {
    default: '7',
    min: 1,
    max: 365,
    help: 'days for which the API shows rejected webhooks, up to the last 100 per source',
  }),
};

export type IngressConfig = ConfigOf<typeof fields>;

/** A body that is arriving when the process is stopped, and its acknowledgment, must fit into the shutdown time. */
const stopsInTime = (config: IngressConfig): Problem[] =>
  config.shutdownTimeoutMs < config.bodyTimeoutMs + answerWithinMs
    ? [`HOOKLINE_SHUTDOWN_TIMEOUT_MS must be at least ${answerWithinMs} more than HOOKLINE_INGRESS_BODY_TIMEOUT_MS`]
    : [];

function tlsIsWhole(config: IngressConfig): Problem[] {
  const problems: Problem[] = [];
  if ((config.tlsCertFile === '') !== (config.tlsKeyFile === '')) {
    problems.push('HOOKLINE_TLS_CERT_FILE and HOOKLINE_TLS_KEY_FILE must be set together');
  }
  const asks = config.tlsClientCertificates !== 'none';
  if (asks && (config.tlsClientCaFile === '' || config.tlsCertFile === '')) {
    problems.push(
      `HOOKLINE_TLS_CLIENT_CERTIFICATES=${config.tlsClientCertificates} needs HOOKLINE_TLS_CLIENT_CA_FILE, HOOKLINE_TLS_CERT_FILE and HOOKLINE_TLS_KEY_FILE`,
    );
  }
  if (!asks && config.tlsClientCaFile !== '') {
    problems.push('HOOKLINE_TLS_CLIENT_CA_FILE has no effect with HOOKLINE_TLS_CLIENT_CERTIFICATES=none');
  }
  return problems;
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): IngressConfig =>
  readConfig(fields, env, [
    serviceRelations,
    kafkaRelations,
    postgresRelations,
    redisRelations,
    stopsInTime,
    proxyRelations,
    tlsIsWhole,
  ]);
