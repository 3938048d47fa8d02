import type { Admin, ConfigResourceTypes } from 'kafkajs';
import { AppError, type Clock, type Logger } from '#lib/runtime';
import type { KafkaAccess } from './access.ts';
import { createClient, rootCause } from './client.ts';
import { within } from './time-limit.ts';

export interface TopicDefinition {
  name: string;
  partitions: number;
  replicationFactor: number;
  /** Topic configuration as Kafka names it (`max.message.bytes`, `retention.ms`, …). */
  config?: Readonly<Record<string, string>>;
}

export interface CreateTopicsOptions {
  clock: Clock;
  log: Logger;
  /** Default 60,000. */
  timeoutMs?: number;
}

const retryMs = 250;
const closeTimeoutMs = 2_000;

// Errors that no retry changes.
const refusals = new Set([
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_PARTITIONS',
  'INVALID_CONFIG',
  'INVALID_REQUEST',
  'POLICY_VIOLATION',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

/**
 * Creates missing topics and waits until every partition has a leader. Existing topics are not changed.
 *
 * A starting cluster answers with all kinds of errors while its controller settles, such as too few brokers: each is retried until the time
 * limit.
 *
 * @returns the names of the topics that it created
 * @throws AppError kafka_unavailable at the time limit; config_invalid if the cluster refuses a definition
 */
export async function createTopics(
  access: KafkaAccess,
  definitions: readonly TopicDefinition[],
  options: CreateTopicsOptions,
): Promise<string[]> {
  const created = new Set<string>();
  await askCluster(access, options, async (admin) => {
    for (const name of await createMissing(admin, definitions)) created.add(name);
    for (const { name } of definitions) {
      const leaders = await leadersOf(admin, name);
      if (leaders.some((leader) => leader < 0)) throw new Error(`${name} has a partition without a leader`);
    }
  });
  return [...created];
}

/**
 * Counts a topic's partitions. A key's partition depends on the count, so it is read once, not guessed.
 *
 * @throws AppError kafka_unavailable at the time limit, also for an unknown topic
 */
export async function countPartitions(
  access: KafkaAccess,
  topic: string,
  options: CreateTopicsOptions,
): Promise<number> {
  return askCluster(access, options, async (admin) => (await leadersOf(admin, topic)).length);
}

/**
 * How long each topic has the bytes of a record that is written now, at the longest, in milliseconds; undefined: for ever. Whole segments are
 * removed, once the newest record of one is older than the retention; a segment takes records for `segment.ms`.
 *
 * @throws AppError kafka_unavailable at the time limit, also for an unknown topic
 */
export async function readKeepTimes(
  access: KafkaAccess,
  topics: readonly string[],
  options: CreateTopicsOptions,
): Promise<Map<string, number | undefined>> {
  const names = ['cleanup.policy', 'retention.ms', 'segment.ms', 'file.delete.delay.ms'];
  return askCluster(access, options, async (admin) => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: topics.map((name) => ({ type: topicResource, name, configNames: names })),
    });
    return new Map(
      topics.map((topic) => {
        const entries = resources.find(({ resourceName }) => resourceName === topic)?.configEntries ?? [];
        const config = new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
        return [topic, keepTimeOf(config)];
      }),
    );
  });
}

/** ConfigResourceTypes.TOPIC: Node does not find this export of kafkajs, which is none of ES modules. */
const topicResource = 2 as ConfigResourceTypes.TOPIC;

/** Brokers look for segments to be removed every five minutes by default (log.retention.check.interval.ms, which no topic has). */
const retentionCheckMs = 300_000;

function keepTimeOf(config: ReadonlyMap<string, string>): number | undefined {
  const read = (name: string): number => {
    const value = Number(config.get(name));
    if (!config.has(name) || !Number.isFinite(value)) throw new Error(`the cluster says nothing of ${name}`);
    return value;
  };
  const retentionMs = read('retention.ms');
  if (retentionMs < 0 || !(config.get('cleanup.policy') ?? '').split(',').includes('delete')) return undefined;
  return retentionMs + read('segment.ms') + read('file.delete.delay.ms') + retentionCheckMs;
}

/** Asks until there is an answer, each time over a new connection. */
async function askCluster<T>(
  access: KafkaAccess,
  { clock, log, timeoutMs = 60_000 }: CreateTopicsOptions,
  ask: (admin: Admin) => Promise<T>,
): Promise<T> {
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const admin = createClient({ ...access, clientId: 'hookline-topics', log }).admin();
    try {
      await admin.connect();
      return await ask(admin);
    } catch (error) {
      const cause = rootCause(error);
      if (refusals.has(typeOf(cause))) {
        throw new AppError('config_invalid', `the cluster refuses a topic: ${cause.message}`, { cause });
      }
      if (clock.monotonicMs() >= deadlineMs) {
        throw new AppError('kafka_unavailable', `not within ${timeoutMs} ms: ${cause.message}`, { cause });
      }
      log.debug({ event: 'kafka.topics_not_ready', err: cause });
      await clock.sleep(retryMs);
    } finally {
      await within(clock, closeTimeoutMs, admin.disconnect(), () => undefined).catch(() => undefined);
    }
  }
}

async function createMissing(admin: Admin, definitions: readonly TopicDefinition[]): Promise<string[]> {
  const existing = new Set(await admin.listTopics());
  const created: string[] = [];
  // One by one: kafkajs reports the errors of several topics as one.
  for (const { name, partitions, replicationFactor, config = {} } of definitions) {
    if (existing.has(name)) continue;
    const topic = {
      topic: name,
      numPartitions: partitions,
      replicationFactor,
      configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
    };
    // False if another process has created it meanwhile.
    if (await admin.createTopics({ topics: [topic], waitForLeaders: false })) created.push(name);
  }
  return created;
}

async function leadersOf(admin: Admin, topic: string): Promise<number[]> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const partitions = topics.find(({ name }) => name === topic)?.partitions ?? [];
  if (partitions.length === 0) throw new Error(`no partitions are known of ${topic}`);
  return partitions.map(({ leader }) => leader);
}

/** The protocol's name of the error; that of a topic's creation lies within an aggregate. */
function typeOf(error: Error): string {
  const { type, errors } = error as { type?: unknown; errors?: unknown };
  if (typeof type === 'string') return type;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return first instanceof Error ? typeOf(rootCause(first)) : '';
}
