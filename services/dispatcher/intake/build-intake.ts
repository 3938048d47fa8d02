import { groupOf, type Topics } from '#lib/contract';
import type { DroppedRecords, ErasedEvents } from '#lib/erasure';
import { createConsumer, type UndecodableBatchHandler } from '#lib/kafka';
import type { Postgres } from '#lib/postgres';
import type { ServiceContext } from '#lib/service-host';
import type { DispatcherConfig } from '../config.ts';
import type { Endpoints } from '../endpoints/build-endpoints.ts';
import { commitIntervalMs, type KafkaClient } from '../kafka-client.ts';
import type { Scheduler } from '../lanes/scheduler.ts';
import type { Lag } from '../model/lag.ts';
import type { Membership } from '../model/membership.ts';
import type { OwnedPartitions } from '../model/owned-partitions.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import type { OrderedIntake } from '../ordered/ordered-intake.ts';
import type { OutcomeWriter } from '../send/outcome-writer.ts';
import { createIntake } from './intake.ts';
import { createKnownDeliveries } from './known-deliveries.ts';

interface Deps {
  config: DispatcherConfig;
  context: Pick<ServiceContext, 'clock' | 'log' | 'fail'>;
  kafka: KafkaClient;
  postgres: Postgres;
  endpoints: Pick<Endpoints, 'directory'>;
  owned: OwnedPartitions;
  membership: Membership;
  scheduler: Scheduler;
  recentSteps: RecentSteps;
  outcomes: OutcomeWriter;
  buryBatchOfDeliveries: UndecodableBatchHandler;
  orderedIntake: OrderedIntake;
  lag: Pick<Lag, 'taken'>;
  erased: ErasedEvents;
  dropped: Pick<DroppedRecords, 'count'>;
  topics: Topics;
}

/** The consumer of `deliveries`. */
export function buildIntake(given: Deps) {
  const { config, context, kafka, postgres, endpoints, owned, membership, topics, dropped, ...deps } = given;
  const { clock, log, fail } = context;
  const { directory } = endpoints;
  const knownDeliveries = createKnownDeliveries(postgres);
  const consumer = createConsumer({
    ...kafka,
    maxQueuedBytes: config.consumerQueueBytes,
    maxDecompressedBytes: config.decompressedBytes,
    sessionTimeoutMs: config.sessionTimeoutMs,
    groupId: groupOf(config.topicPrefix, 'dispatcher'),
    topics: [topics.deliveries],
    gatherMs: config.gatherMs,
    commitIntervalMs,
    handle: createIntake({ ...deps, onDropped: dropped.count, directory, knownDeliveries, owned, clock, log }),
    onUndecodable: deps.buryBatchOfDeliveries,
    onFailure: fail,
    onAssigned: owned.assigned,
    onRevoked: owned.revoked,
    onOpened: owned.opened,
    onFirstRead: owned.firstRead,
    // A record may wait for Postgres, because an earlier owner may have had it or it is ordered: it delays only its own partition.
    maxPartitionsPerCall: 1,
    maxCalls: Number.POSITIVE_INFINITY,
    // More than the lanes hold: queued deliveries must not pause their partition, which would delay every endpoint in it.
    maxOutstanding: config.queueRecords + 5_000,
    maxOutstandingBytes: config.queueBytes + 32 * 1024 * 1024,
    // The lanes have drained by then; the rest is left for the successor.
    stopDrainMs: 200,
  });
  membership.follow(consumer);
  return consumer;
}
