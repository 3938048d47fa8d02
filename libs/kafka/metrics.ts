import { dependencyMetrics, type Metrics, type MetricTable, registerMetrics, whenRead } from '#lib/telemetry';
import type { DoubtReason } from './consuming/rebuilding/rebuild-watch.ts';
import { requestsSent } from './kafkajs-patches/count-requests.ts';
import type { ProduceOutcome } from './producing/produce-answer.ts';

export const producerMetrics = {
  requests: {
    kind: 'counter',
    name: 'hookline_kafka_requests_total',
    help: 'Requests to brokers, of all connections of the process',
    unit: 'requests',
    labels: { kind: 'Kafka’s names for them: `Fetch`, `Produce`, `Heartbeat` and others' },
  },
  produceSeconds: {
    kind: 'histogram',
    name: 'hookline_kafka_produce_seconds',
    help: 'The batch of one partition, from the sending of its request to the checked answer or failure',
    unit: 'seconds',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
  },
  produceRequests: {
    kind: 'counter',
    name: 'hookline_kafka_produce_requests_total',
    help: 'The same requests by what they came to: `written`; `refused`: the broker takes this batch never; `unknown`: failed or unanswered, and sent again',
    unit: 'requests',
    labels: { outcome: ['written', 'refused', 'unknown'] },
  },
  underReplicated: {
    kind: 'gauge',
    name: 'hookline_kafka_under_replicated_partitions',
    help: 'Partitions with fewer replicas in sync than they have, of a topic that this process writes to',
    unit: 'partitions',
    labels: { topic: 'our topics' },
  },
  leaderless: {
    kind: 'gauge',
    name: 'hookline_kafka_leaderless_partitions',
    help: 'Partitions that nobody leads: they can be neither written nor read',
    unit: 'partitions',
    labels: { topic: 'our topics' },
  },
} satisfies MetricTable;

const assigned = { group: 'our consumer groups', topic: 'our topics', partition: 'their partitions' };

export const consumerMetrics = {
  lagRecords: {
    kind: 'gauge',
    name: 'hookline_consumer_lag_records',
    help: 'Records of an assigned partition beyond the committed offset, as the brokers say',
    unit: 'records',
    labels: assigned,
  },
  lagSeconds: {
    kind: 'gauge',
    name: 'hookline_consumer_lag_seconds',
    help: 'How long the oldest record of an assigned partition that is not finished has waited: since it was written, where this process has read it; else since it was first seen to wait; 0 without one',
    unit: 'seconds',
    labels: assigned,
  },
  lost: {
    kind: 'counter',
    name: 'hookline_lost_records_total',
    help: 'Records that were removed from the log, by retention or by hand, before the group had read them: they are lost to it',
    unit: 'records',
    labels: assigned,
  },
  resets: {
    kind: 'counter',
    name: 'hookline_consumer_offset_resets_total',
    help: 'Times that a partition was read from its first record on because the group’s offset was of no use: `beyond_end`: the log ends before it; `no_offset`: the group has none, and the log has lost records',
    unit: 'resets',
    labels: { ...assigned, reason: '`beyond_end`, `no_offset`' },
  },
  retention: {
    kind: 'gauge',
    name: 'hookline_topic_retention_seconds',
    help: 'How long a topic that this process reads keeps its records (`retention.ms`); none where it keeps them for ever, or the brokers don’t say',
    unit: 'seconds',
    labels: { topic: assigned.topic },
  },
  joins: {
    kind: 'counter',
    name: 'hookline_consumer_joins_total',
    help: 'Joins of a group: one at the start, one more for each rebalance',
    unit: 'joins',
    labels: { group: assigned.group },
  },
  withoutGroup: {
    kind: 'gauge',
    name: 'hookline_consumer_without_group_seconds',
    help: 'Since when a consumer has heard nothing of its group, once that is longer than the session time-out, or since its start, where it has not joined yet; 0 while it is a member',
    unit: 'seconds',
    labels: { group: assigned.group },
  },
  rebuilds: {
    kind: 'counter',
    name: 'hookline_consumer_rebuilds_total',
    help: 'Consumers that were thrown away and built anew while the coordinator answered others: `silent`: it was a member and heard nothing any more; `never_joined`; `commit_unanswered`. The third within five minutes ends the process instead',
    unit: 'consumers',
    labels: { group: assigned.group, reason: '`silent`, `never_joined`, `commit_unanswered`' },
  },
} satisfies MetricTable;

const doubtReasons: readonly DoubtReason[] = ['silent', 'never_joined', 'commit_unanswered'];

export interface ProducerMeter {
  requested(outcome: ProduceOutcome['kind'], seconds: number): void;
  /** Kafka was asked how the topic is. */
  described(topic: string, partitions: { underReplicated: number; leaderless: number }): void;
  /** Kafka did not answer. */
  unreached(): void;
}

export function measureProducer(registry: Metrics): ProducerMeter {
  const metrics = registerMetrics(producerMetrics, registry);
  whenRead(metrics.requests, (counter) => {
    counter.reset();
    for (const [kind, count] of requestsSent()) counter.inc({ kind }, count);
  });
  const reached = reachedBy(registry);
  return {
    requested(outcome, seconds) {
      metrics.produceRequests.inc({ outcome });
      metrics.produceSeconds.observe(seconds);
      reached(outcome !== 'unknown');
    },
    described(topic, { underReplicated, leaderless }) {
      metrics.underReplicated.set({ topic }, underReplicated);
      metrics.leaderless.set({ topic }, leaderless);
      reached(true);
    },
    unreached: () => reached(false),
  };
}

const resetReasons = ['beyond_end', 'no_offset'] as const;
type ResetReason = (typeof resetReasons)[number];

export interface ConsumerMeter {
  joined(): void;
  rebuilt(reason: DoubtReason): void;
  /** Asked at each reading for how long the consumer has been without its group, until what this returns is called. */
  showAbsence(absentMs: () => number): () => void;
  lag(topic: string, partition: number, behind: { records: number; seconds: number }): void;
  /** The partition is read from now on: what can be lost of it counts from 0, so that a first loss is an increase. */
  begin(topic: string, partition: number): void;
  /** Records that nobody can read any more. */
  lost(topic: string, partition: number, records: number): void;
  reset(topic: string, partition: number, reason: ResetReason): void;
  /** @param seconds undefined where there is no limit */
  retention(topic: string, seconds: number | undefined): void;
  /** The partition is another's now. */
  forget(topic: string, partition: number): void;
  reached(answered: boolean): void;
}

export function measureConsumer(registry: Metrics, group: string): ConsumerMeter {
  const { lagRecords, lagSeconds, lost, resets, retention, joins, withoutGroup, rebuilds } = registerMetrics(
    consumerMetrics,
    registry,
  );
  for (const reason of doubtReasons) rebuilds.inc({ group, reason }, 0);
  return {
    joined: () => joins.inc({ group }),
    rebuilt: (reason) => rebuilds.inc({ group, reason }),
    showAbsence(absentMs) {
      let isShown = true;
      whenRead(withoutGroup, (gauge) => {
        if (isShown) gauge.set({ group }, absentMs() / 1000);
      });
      return () => {
        isShown = false;
        withoutGroup.remove({ group });
      };
    },
    lag(topic, partition, { records, seconds }) {
      lagRecords.set({ group, topic, partition }, records);
      lagSeconds.set({ group, topic, partition }, seconds);
    },
    begin(topic, partition) {
      lost.inc({ group, topic, partition }, 0);
      for (const reason of resetReasons) resets.inc({ group, topic, partition, reason }, 0);
    },
    lost: (topic, partition, records) => lost.inc({ group, topic, partition }, records),
    reset: (topic, partition, reason) => resets.inc({ group, topic, partition, reason }),
    retention(topic, seconds) {
      if (seconds === undefined) retention.remove({ topic });
      else retention.set({ topic }, seconds);
    },
    forget(topic, partition) {
      lagRecords.remove({ group, topic, partition });
      lagSeconds.remove({ group, topic, partition });
    },
    reached: reachedBy(registry),
  };
}

const reachedBy = (registry: Metrics) => {
  const { up } = registerMetrics(dependencyMetrics, registry);
  return (answered: boolean): void => up.set({ dependency: 'kafka' }, answered ? 1 : 0);
};
