/** Connection settings for Kafka: brokers, TLS, credentials. */
import { type ConfigOf, flag, integer, list, oneOf, type Problem, text } from './fields.ts';

export const kafkaFields = {
  kafkaBrokers: list('HOOKLINE_KAFKA_BROKERS', {
    default: '127.0.0.1:9092',
    help: 'Kafka brokers as comma-separated host:port',
  }),
  kafkaTls: flag('HOOKLINE_KAFKA_TLS', {
    default: 'false',
    help: 'connect to the brokers with TLS 1.2 or later, and verify their host names',
  }),
  kafkaTlsCaFile: text('HOOKLINE_KAFKA_TLS_CA_FILE', {
    default: '',
    help: 'PEM file of the CAs of the broker certificates; empty: the public CAs. Renewed files need no restart',
  }),
  kafkaTlsCertFile: text('HOOKLINE_KAFKA_TLS_CERT_FILE', {
    default: '',
    help: 'PEM file of the client certificate, for brokers that require one',
  }),
  kafkaTlsKeyFile: text('HOOKLINE_KAFKA_TLS_KEY_FILE', {
    default: '',
    help: 'PEM file of the private key of the client certificate',
  }),
  kafkaSaslMechanism: oneOf(
    'HOOKLINE_KAFKA_SASL_MECHANISM',
    ['none', 'plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'],
    {
      default: 'none',
      help: 'SASL mechanism; use it with TLS, else the password or token can be read on the network',
    },
  ),
  kafkaSaslUsername: text('HOOKLINE_KAFKA_SASL_USERNAME', { default: '', help: 'SASL user name' }),
  kafkaSaslPassword: text('HOOKLINE_KAFKA_SASL_PASSWORD', { default: '', secret: true, help: 'SASL password' }),
  kafkaOauthTokenFile: text('HOOKLINE_KAFKA_OAUTH_TOKEN_FILE', {
    default: '',
    help: 'for `oauthbearer`: file with the token, which something else renews; read at each new connection',
  }),
  kafkaOauthTokenUrl: text('HOOKLINE_KAFKA_OAUTH_TOKEN_URL', {
    default: '',
    pattern: /^$|^https?:\/\/[^\s@]+$/,
    help: 'for `oauthbearer`, in place of the file: URL that grants tokens for client credentials (RFC 6749, 4.4)',
  }),
  kafkaOauthClientId: text('HOOKLINE_KAFKA_OAUTH_CLIENT_ID', { default: '', help: 'client id for that URL' }),
  kafkaOauthClientSecret: text('HOOKLINE_KAFKA_OAUTH_CLIENT_SECRET', {
    default: '',
    secret: true,
    help: 'client secret for that URL',
  }),
  kafkaOauthScope: text('HOOKLINE_KAFKA_OAUTH_SCOPE', { default: '', help: 'scope to ask for; empty: none' }),
  topicPrefix: text('HOOKLINE_TOPIC_PREFIX', {
    default: 'hookline.',
    pattern: /^[a-zA-Z0-9._-]{0,100}$/,
    help: 'prefix of all topic and consumer group names',
  }),
};

/** Further settings of services that write to topics. */
export const producerFields = {
  kafkaCompression: oneOf('HOOKLINE_KAFKA_COMPRESSION', ['none', 'gzip', 'snappy', 'lz4', 'zstd'], {
    default: 'none',
    help: 'compression of the batches that the service writes; batches of every codec are read, whatever this says',
  }),
};

export const gatherField = integer('HOOKLINE_GATHER_MS', {
  default: '16',
  min: 0,
  max: 1_000,
  help: 'maximum time for which records under load are collected into one batch, before they are written (ingress) or after they are fetched (dedup, dispatcher); a single record does not wait. Higher values save CPU time and add latency',
});

/** For services whose repeated work has no effect. */
export const commitIntervalField = integer('HOOKLINE_COMMIT_INTERVAL_MS', {
  default: '1000',
  min: 50,
  max: 30_000,
  help: 'interval between offset commits (dedup, projector); after a crash the work of this interval is repeated, without effect',
});

export const defaultSessionTimeoutMs = 10_000;

/** Sixteen times what a batch may have on its topic: JSON becomes five to ten times shorter. */
export const defaultDecompressedBytes = 32 * 1024 * 1024;

/** Further settings of services that read topics. */
export const consumerFields = {
  sessionTimeoutMs: integer('HOOKLINE_KAFKA_SESSION_TIMEOUT_MS', {
    default: String(defaultSessionTimeoutMs),
    min: 1_000,
    max: 300_000,
    help: 'session time-out: the partitions of a dead consumer are reassigned after this time; values below 6000 need a lower group.min.session.timeout.ms on the brokers',
  }),
  consumerQueueBytes: integer('HOOKLINE_CONSUMER_QUEUE_BYTES', {
    default: String(8 * 1024 * 1024),
    min: 64 * 1024,
    max: 1024 * 1024 * 1024,
    help: 'maximum bytes fetched ahead per partition; one fetch of up to 2 MiB, or one compressed batch, may exceed it',
  }),
  decompressedBytes: integer('HOOKLINE_CONSUMER_DECOMPRESSED_BYTES', {
    default: String(defaultDecompressedBytes),
    min: 64 * 1024,
    max: 1024 * 1024 * 1024,
    help: 'maximum bytes of a compressed batch when it is decompressed; a larger one becomes a dead letter `undecodable_batch`, which can be replayed once this is raised',
  }),
};

export type KafkaConfig = ConfigOf<typeof kafkaFields>;

export function kafkaRelations(config: Omit<KafkaConfig, 'topicPrefix'>): Problem[] {
  const { kafkaTls, kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsKeyFile } = config;
  const { kafkaSaslMechanism, kafkaSaslUsername, kafkaSaslPassword } = config;
  const problems: string[] = [];
  if (!kafkaTls && [kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsKeyFile].some((file) => file !== ''))
    problems.push('HOOKLINE_KAFKA_TLS_*_FILE need HOOKLINE_KAFKA_TLS=true');
  if ((kafkaTlsCertFile === '') !== (kafkaTlsKeyFile === ''))
    problems.push('HOOKLINE_KAFKA_TLS_CERT_FILE and HOOKLINE_KAFKA_TLS_KEY_FILE must be set together');
  const hasPassword = ['plain', 'scram-sha-256', 'scram-sha-512'].includes(kafkaSaslMechanism);
  const credentials = [kafkaSaslUsername, kafkaSaslPassword];
  if (!hasPassword && credentials.some((text) => text !== ''))
    problems.push(
      kafkaSaslMechanism === 'none'
        ? 'HOOKLINE_KAFKA_SASL_USERNAME and _PASSWORD need HOOKLINE_KAFKA_SASL_MECHANISM'
        : `HOOKLINE_KAFKA_SASL_USERNAME and _PASSWORD have no effect with HOOKLINE_KAFKA_SASL_MECHANISM=${kafkaSaslMechanism}`,
    );
  if (hasPassword && credentials.some((text) => text === ''))
    problems.push(
      `HOOKLINE_KAFKA_SASL_MECHANISM=${kafkaSaslMechanism} needs HOOKLINE_KAFKA_SASL_USERNAME and _PASSWORD`,
    );
  return [...problems, ...oauthProblems(config)];
}

function oauthProblems(config: Omit<KafkaConfig, 'topicPrefix'>): Problem[] {
  const { kafkaOauthTokenFile: file, kafkaOauthTokenUrl: url } = config;
  const client = [config.kafkaOauthClientId, config.kafkaOauthClientSecret];
  if (config.kafkaSaslMechanism !== 'oauthbearer')
    return [file, url, config.kafkaOauthScope, ...client].some((text) => text !== '')
      ? ['HOOKLINE_KAFKA_OAUTH_* need HOOKLINE_KAFKA_SASL_MECHANISM=oauthbearer']
      : [];
  const problems: Problem[] = [];
  if ((file === '') === (url === ''))
    problems.push(
      'HOOKLINE_KAFKA_SASL_MECHANISM=oauthbearer needs one of HOOKLINE_KAFKA_OAUTH_TOKEN_FILE and HOOKLINE_KAFKA_OAUTH_TOKEN_URL',
    );
  if (url !== '' && client.some((text) => text === ''))
    problems.push(
      'HOOKLINE_KAFKA_OAUTH_TOKEN_URL needs HOOKLINE_KAFKA_OAUTH_CLIENT_ID and HOOKLINE_KAFKA_OAUTH_CLIENT_SECRET',
    );
  if (url === '' && [config.kafkaOauthScope, ...client].some((text) => text !== ''))
    problems.push('HOOKLINE_KAFKA_OAUTH_CLIENT_ID, _CLIENT_SECRET and _SCOPE need HOOKLINE_KAFKA_OAUTH_TOKEN_URL');
  return problems;
}
