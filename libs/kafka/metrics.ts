import { dependencyMetrics, type Metrics, type MetricTable, registerMetrics, whenRead } from '#lib/telemetry';
import type { DoubtReason } from './consuming/rebuilding/rebuild-watch.ts';
import { requestsSent } from './kafkajs-patches/count-requests.ts';
import type { ProduceOutcome } from './producing/produce-answer.ts';

export const producerMetrics = {
  requests: {
    kind: 'counter',
    name: 'hookline_kafka_requests_total',
    help: 'Requests to brokers over all connections of the process',
    unit: 'requests',
    labels: { kind: 'API name: `Fetch`, `Produce`, `Heartbeat`, …' },
  },
  produceSeconds: {
    kind: 'histogram',
    name: 'hookline_kafka_produce_seconds',
    help: 'Time from sending a batch for one partition to its acknowledgment or failure',
    unit: 'seconds',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
  },
  produceRequests: {
    kind: 'counter',
    name: 'hookline_kafka_produce_requests_total',
    help: 'Produced batches by outcome: `written`; `refused`: rejected by the broker for good; `unknown`: failed or unanswered, and retried',
    unit: 'requests',
    labels: { outcome: ['written', 'refused', 'unknown'] },
  },
  underReplicated: {
    kind: 'gauge',
    name: 'hookline_kafka_under_replicated_partitions',
    help: 'Partitions with replicas that are not in sync, of topics that this process writes to',
    unit: 'partitions',
    labels: { topic: 'our topics' },
  },
  leaderless: {
    kind: 'gauge',
    name: 'hookline_kafka_leaderless_partitions',
    help: 'Partitions without a leader: they can be neither written nor read',
    unit: 'partitions',
    labels: { topic: 'our topics' },
  },
} satisfies MetricTable;

const assigned = { group: 'our consumer groups', topic: 'our topics', partition: 'their partitions' };

export const consumerMetrics = {
  lagRecords: {
    kind: 'gauge',
    name: 'hookline_consumer_lag_records',
    help: 'Consumer lag of an assigned partition: records after the committed offset',
    unit: 'records',
    labels: assigned,
  },
  lagSeconds: {
    kind: 'gauge',
    name: 'hookline_consumer_lag_seconds',
    help: 'Consumer lag of an assigned partition as time: age of the oldest unfinished record since it was written, or, if this process has not read it yet, since the lag was first seen; 0 without lag',
    unit: 'seconds',
    labels: assigned,
  },
  lost: {
    kind: 'counter',
    name: 'hookline_lost_records_total',
    help: 'Records that were deleted from the log before the group had read them, by retention or by hand: they are lost',
    unit: 'records',
    labels: assigned,
  },
  resets: {
    kind: 'counter',
    name: 'hookline_consumer_offset_resets_total',
    help: 'Resets of a partition to its first record because the committed offset was unusable: `beyond_end`: after the end of the log; `no_offset`: the group has none, and the log has lost records',
    unit: 'resets',
    labels: { ...assigned, reason: '`beyond_end`, `no_offset`' },
  },
  retention: {
    kind: 'gauge',
    name: 'hookline_topic_retention_seconds',
    help: 'Retention time (`retention.ms`) of a topic that this process reads; no series if it is unlimited or unknown',
    unit: 'seconds',
    labels: { topic: assigned.topic },
  },
  joins: {
    kind: 'counter',
    name: 'hookline_consumer_joins_total',
    help: 'Joins of a consumer group: one at start, one more per rebalance',
    unit: 'joins',
    labels: { group: assigned.group },
  },
  withoutGroup: {
    kind: 'gauge',
    name: 'hookline_consumer_without_group_seconds',
    help: 'Time for which a consumer has not been a member: since the last answer of the coordinator, once that exceeds the session time-out, or since the start if it has never joined; 0 for a member',
    unit: 'seconds',
    labels: { group: assigned.group },
  },
  rebuilds: {
    kind: 'counter',
    name: 'hookline_consumer_rebuilds_total',
    help: 'Consumers that were rebuilt while the broker answered other requests: `silent`: a member got no more answers; `never_joined`; `commit_unanswered`. At the third within five minutes the process exits instead',
    unit: 'consumers',
    labels: { group: assigned.group, reason: '`silent`, `never_joined`, `commit_unanswered`' },
  },
} satisfies MetricTable;

const doubtReasons: readonly DoubtReason[] = ['silent', 'never_joined', 'commit_unanswered'];

export interface ProducerMeter {
  requested(outcome: ProduceOutcome['kind'], seconds: number): void;
  /** A topic's description was read from Kafka. */
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
  /** Shows at each reading how long the consumer has been without its group, until the returned function is called. */
  showAbsence(absentMs: () => number): () => void;
  lag(topic: string, partition: number, behind: { records: number; seconds: number }): void;
  /** The partition is read from now on: its count of lost records starts at 0, so that a first loss is an increase. */
  begin(topic: string, partition: number): void;
  /** Records that were removed before they were read. */
  lost(topic: string, partition: number, records: number): void;
  reset(topic: string, partition: number, reason: ResetReason): void;
  /** @param seconds undefined if there is no limit */
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
