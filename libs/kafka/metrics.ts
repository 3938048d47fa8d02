import { dependencyMetrics, type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';
import type { ProduceOutcome } from './produce-answer.ts';

export const producerMetrics = {
  produceSeconds: {
    kind: 'histogram',
    name: 'hookline_kafka_produce_seconds',
    help: 'One produce request for one partition, from its sending to its checked answer or failure',
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
  joins: {
    kind: 'counter',
    name: 'hookline_consumer_joins_total',
    help: 'Joins of a group: one at the start, one more for each rebalance',
    unit: 'joins',
    labels: { group: assigned.group },
  },
} satisfies MetricTable;

export interface ProducerMeter {
  requested(outcome: ProduceOutcome['kind'], seconds: number): void;
  /** Kafka was asked how the topic is. */
  described(topic: string, partitions: { underReplicated: number; leaderless: number }): void;
  /** Kafka did not answer. */
  unreached(): void;
}

export function measureProducer(registry: Metrics): ProducerMeter {
  const metrics = registerMetrics(producerMetrics, registry);
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

export interface ConsumerMeter {
  joined(): void;
  lag(topic: string, partition: number, behind: { records: number; seconds: number }): void;
  /** The partition is another's now. */
  forget(topic: string, partition: number): void;
  reached(answered: boolean): void;
}

export function measureConsumer(registry: Metrics, group: string): ConsumerMeter {
  const { lagRecords, lagSeconds, joins } = registerMetrics(consumerMetrics, registry);
  return {
    joined: () => joins.inc({ group }),
    lag(topic, partition, { records, seconds }) {
      lagRecords.set({ group, topic, partition }, records);
      lagSeconds.set({ group, topic, partition }, seconds);
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
