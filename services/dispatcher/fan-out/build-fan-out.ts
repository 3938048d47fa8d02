import { randomUUID } from 'node:crypto';
import { type AttemptRecord, type EventRecord, groupOf, type Topics } from '#lib/contract';
import type { BuryRecord } from '#lib/dead-letters';
import type { DroppedRecords, ErasedEvents } from '#lib/erasure';
import { createMatchTurns, createUnjudgedFilters } from '#lib/event-filter';
import { createMatchEndpoints } from '#lib/fan-out';
import { createConsumer, traceRecords, type UndecodableBatchHandler } from '#lib/kafka';
import type { Postgres } from '#lib/postgres';
import { inRounds, type WaitOut } from '#lib/runtime';
import type { ServiceContext } from '#lib/service-host';
import type { DispatcherConfig } from '../config.ts';
import type { Endpoints } from '../endpoints/build-endpoints.ts';
import { commitIntervalMs, type KafkaClient } from '../kafka-client.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import type { BuryDelivery } from '../publishing/bury-delivery.ts';
import type { Offer, Publish } from '../publishing/publish.ts';
import { createEndRefused } from './end-refused.ts';
import { createFanOut } from './fan-out.ts';
import { createSetAside } from './set-aside.ts';
import { skipFannedOut } from './skip-fanned-out.ts';
import { createWriteSet } from './write-set.ts';

interface Deps {
  config: Pick<
    DispatcherConfig,
    'topicPrefix' | 'consumerQueueBytes' | 'decompressedBytes' | 'sessionTimeoutMs' | 'gatherMs' | 'setChunk'
  >;
  context: Pick<ServiceContext, 'clock' | 'log' | 'tracer' | 'crashPoints' | 'metrics' | 'fail'>;
  kafka: KafkaClient;
  postgres: Postgres;
  endpoints: Pick<Endpoints, 'directory'>;
  decodeEvent(bytes: Buffer): Promise<EventRecord>;
  encodeAttempt(record: AttemptRecord): Buffer;
  publish: Publish;
  offer: Offer;
  buryDelivery: BuryDelivery;
  buryEvent: BuryRecord;
  buryBatchOfEvents: UndecodableBatchHandler;
  erased: ErasedEvents;
  dropped: Pick<DroppedRecords, 'count'>;
  waitOut: WaitOut;
  topics: Topics;
  metrics: DispatcherMetrics;
}

/**
 * Most events were fanned out when they were published, and are passed over: the more at once, the better. The others wait for as long, and then
 * for their lane.
 */
const fanOutGatherMs = (gatherMs: number): number => 3 * gatherMs;
/** Events that take long, of as many tenants: each has up to 500 records on their way to Kafka. */
const maxAsideAtOnce = 4;

/** The consumer of `events`, and what writes sets and ends refused deliveries, for replays too. */
export function buildFanOut({ config, context, kafka, postgres, endpoints, ...deps }: Deps) {
  const { clock, log, tracer, crashPoints, fail } = context;
  const writers = {
    writeSet: createWriteSet({ ...deps, clock, crashPoints, newTry: randomUUID, maxDeliveries: config.setChunk }),
    endRefused: createEndRefused({ ...deps, clock }),
  };
  const unjudged = createUnjudgedFilters({ postgres, metrics: context.metrics, clock, log });
  const handle = createFanOut({
    ...deps,
    ...writers,
    onDropped: deps.dropped.count,
    directory: endpoints.directory,
    setAside: createSetAside({ atOnce: maxAsideAtOnce, onFailure: fail }),
    matchEndpoints: createMatchEndpoints({ turns: createMatchTurns(), unjudged }),
    clock,
    crashPoints,
    log,
  });
  const groupId = groupOf(config.topicPrefix, 'fan-out');
  return {
    writers,
    unjudgedFilters: inRounds(unjudged.settle, {
      name: 'unjudged filters',
      everyMs: 1_000,
      lastRound: true,
      clock,
      log,
    }),
    consumer: createConsumer({
      ...kafka,
      maxQueuedBytes: config.consumerQueueBytes,
      maxDecompressedBytes: config.decompressedBytes,
      sessionTimeoutMs: config.sessionTimeoutMs,
      groupId,
      topics: [deps.topics.events],
      gatherMs: fanOutGatherMs(config.gatherMs),
      commitIntervalMs,
      handle: skipFannedOut(traceRecords({ tracer, groupId }, handle)),
      onUndecodable: deps.buryBatchOfEvents,
      onFailure: fail,
    }),
  };
}

export type SetWriters = ReturnType<typeof buildFanOut>['writers'];
