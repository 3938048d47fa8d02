/** How a process gets to Kafka: where the brokers are, whether over TLS, and as whom. */
import { type ConfigOf, flag, integer, list, oneOf, type Problem, text } from './fields.ts';

export const kafkaFields = {
  kafkaBrokers: list('HOOKLINE_KAFKA_BROKERS', {
    default: '127.0.0.1:9092',
    help: 'host:port of Kafka brokers, by comma',
  }),
  kafkaTls: flag('HOOKLINE_KAFKA_TLS', {
    default: 'false',
    help: 'brokers are reached over TLS, 1.2 or later, and must prove their names',
  }),
  kafkaTlsCaFile: text('HOOKLINE_KAFKA_TLS_CA_FILE', {
    default: '',
    help: 'PEM file of the authorities of the brokers’ certificates; empty: the public ones. Renewed files need no restart',
  }),
  kafkaTlsCertFile: text('HOOKLINE_KAFKA_TLS_CERT_FILE', {
    default: '',
    help: 'PEM file of this client’s certificate, where brokers ask for one',
  }),
  kafkaTlsKeyFile: text('HOOKLINE_KAFKA_TLS_KEY_FILE', { default: '', help: 'PEM file of its private key' }),
  kafkaSaslMechanism: oneOf('HOOKLINE_KAFKA_SASL_MECHANISM', ['none', 'plain', 'scram-sha-256', 'scram-sha-512'], {
    default: 'none',
    help: 'how the process says who it is; over TLS, or all can read the password along',
  }),
  kafkaSaslUsername: text('HOOKLINE_KAFKA_SASL_USERNAME', { default: '', help: 'as whom' }),
  kafkaSaslPassword: text('HOOKLINE_KAFKA_SASL_PASSWORD', { default: '', secret: true, help: 'its password' }),
  topicPrefix: text('HOOKLINE_TOPIC_PREFIX', {
    default: 'hookline.',
    pattern: /^[a-zA-Z0-9._-]{0,100}$/,
    help: 'put before every topic’s and consumer group’s name',
  }),
};

export const gatherField = integer('HOOKLINE_GATHER_MS', {
  default: '20',
  min: 0,
  max: 1_000,
  help: 'the longest that webhooks and deliveries wait for others, while they keep coming, to be written together (ingress, before the acknowledgment) or read together (dedup, dispatcher); alone none waits. More is less processor time and more latency',
});

/** For a process whose last work may be repeated after a crash without effect. */
export const commitIntervalField = integer('HOOKLINE_COMMIT_INTERVAL_MS', {
  default: '1000',
  min: 50,
  max: 30_000,
  help: 'how long what is done waits for the commit of its offset (dedup, projector): so much is worked through again, without effect, after a process has died',
});

/** Further settings of services that read topics. */
export const consumerFields = {
  sessionTimeoutMs: integer('HOOKLINE_KAFKA_SESSION_TIMEOUT_MS', {
    default: '10000',
    min: 1_000,
    max: 300_000,
    help: 'how long a consumer group waits for a member that has died before its partitions go to others; below 6000 the brokers need a lower group.min.session.timeout.ms',
  }),
  consumerQueueBytes: integer('HOOKLINE_CONSUMER_QUEUE_BYTES', {
    default: String(8 * 1024 * 1024),
    min: 64 * 1024,
    max: 1024 * 1024 * 1024,
    help: 'bytes of a partition that have been fetched and wait for their turn; one fetch, of 2 MiB at the most, may go beyond',
  }),
};

export type KafkaConfig = ConfigOf<typeof kafkaFields>;

export function kafkaRelations(config: Omit<KafkaConfig, 'topicPrefix'>): Problem[] {
  const { kafkaTls, kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsKeyFile } = config;
  const { kafkaSaslMechanism, kafkaSaslUsername, kafkaSaslPassword } = config;
  const problems: string[] = [];
  if (!kafkaTls && [kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsKeyFile].some((file) => file !== ''))
    problems.push('HOOKLINE_KAFKA_TLS_*_FILE are for HOOKLINE_KAFKA_TLS=true');
  if ((kafkaTlsCertFile === '') !== (kafkaTlsKeyFile === ''))
    problems.push('HOOKLINE_KAFKA_TLS_CERT_FILE and HOOKLINE_KAFKA_TLS_KEY_FILE go together');
  const credentials = [kafkaSaslUsername, kafkaSaslPassword];
  if (kafkaSaslMechanism === 'none' && credentials.some((text) => text !== ''))
    problems.push('HOOKLINE_KAFKA_SASL_USERNAME and _PASSWORD are for a HOOKLINE_KAFKA_SASL_MECHANISM');
  if (kafkaSaslMechanism !== 'none' && credentials.some((text) => text === ''))
    problems.push(
      `HOOKLINE_KAFKA_SASL_MECHANISM=${kafkaSaslMechanism} needs HOOKLINE_KAFKA_SASL_USERNAME and _PASSWORD`,
    );
  return problems;
}
