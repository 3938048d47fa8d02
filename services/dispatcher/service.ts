import { topicsOf } from '#lib/contract';
import { createDroppedRecords, createErasedEvents } from '#lib/erasure';
import { watchClock } from '#lib/postgres';
import { createWaitOut, isAppError, type Part } from '#lib/runtime';
import { reportProcess, type ServiceContext } from '#lib/service-host';
import { buildAnnouncing } from './announcing/build-announcing.ts';
import type { DispatcherConfig } from './config.ts';
import { buildConnections } from './connections.ts';
import { buildEndpoints } from './endpoints/build-endpoints.ts';
import { buildFanOut } from './fan-out/build-fan-out.ts';
import { buildIntake } from './intake/build-intake.ts';
import { buildLanes } from './lanes/build-lanes.ts';
import { createDispatcherMetrics } from './metrics.ts';
import { buildLag } from './model/lag.ts';
import { createMembership } from './model/membership.ts';
import { createOwnedPartitions } from './model/owned-partitions.ts';
import { createRecentSteps } from './model/recent-steps.ts';
import { buildOrdered, buildOrderedRows } from './ordered/build-ordered.ts';
import { buildPublishing } from './publishing/build-publishing.ts';
import { buildReplays } from './replay/build-replays.ts';
import { buildSend } from './send/build-send.ts';
import { buildWaitingRows, buildWaitingTables } from './waiting/build-waiting.ts';

/** The dispatcher's rooms, leaves first; README.md describes the way of an event through them. */
export function build(config: DispatcherConfig, context: ServiceContext): Part[] {
  const { clock, log } = context;
  const onFailure = (error: Error): void => {
    if (!isAppError(error, 'stopped')) context.fail(error);
  };
  const common = {
    config,
    context,
    topics: topicsOf(config.topicPrefix),
    metrics: createDispatcherMetrics(context.metrics, config),
    waitOut: createWaitOut({ clock, log }),
    owned: createOwnedPartitions(clock),
    membership: createMembership(),
    recentSteps: createRecentSteps(clock),
    onFailure,
  };

  const connections = buildConnections(config, context);
  const { postgres, directoryPool } = connections;
  const erased = createErasedEvents({ followPostgres: directoryPool, postgres, clock, log });
  const dropped = createDroppedRecords({ postgres, clock, log });
  const publishing = buildPublishing({ ...common, ...connections });
  const { publish, offer } = publishing;
  const { encode: encodeAttempt } = publishing.attemptCodec;

  const { orderedRows, wakeRows } = buildOrderedRows({ ...common, ...connections });
  const endpoints = buildEndpoints({ ...common, ...connections, onClosed: wakeRows });
  const tables = buildWaitingTables({ ...connections, ...endpoints, orderedRows });

  const removeRow = tables.servedRows.add;
  const lag = buildLag({ ...common, ...connections });
  const send = buildSend({
    ...common,
    ...publishing,
    endpoints,
    erased,
    dropped,
    encodeAttempt,
    orderedRows,
    removeRow,
    lag,
  });
  const { outcomes } = send;
  const { buryBatchOfDeliveries } = publishing;
  const scheduler = buildLanes({
    ...common,
    ...connections,
    endpoints,
    run: send.dispatch,
    park: outcomes.parked,
    giveUp: send.giveUp,
  });

  const inHand = { ...common, endpoints, scheduler, outcomes, erased, dropped, lag };
  const { orderedIntake, releaseOrdered } = buildOrdered({ ...inHand, ...tables, orderedRows });
  const waitingRows = buildWaitingRows({ ...inHand, tables, releaseOrdered });
  const deliveries = buildIntake({ ...inHand, ...connections, orderedIntake, buryBatchOfDeliveries });

  const { decode: decodeEvent } = publishing.eventCodec;
  const fanOut = buildFanOut({
    ...common,
    ...connections,
    ...publishing,
    endpoints,
    erased,
    dropped,
    decodeEvent,
    encodeAttempt,
  });
  const { writers } = fanOut;
  const replays = buildReplays({
    ...common,
    ...tables,
    kafka: connections.kafka,
    pools: connections.replayPools,
    endpoints,
    writers,
    offer,
    erased,
  });

  // Stopped from the end: replays bring nothing more, the lanes drain, then their rows are removed and their offsets committed.
  return [
    postgres,
    watchClock({ postgres, clock, log, metrics: context.metrics }),
    ...reportProcess(context, postgres),
    connections.indexScanPool,
    connections.replayPools.single,
    connections.replayPools.bulk,
    connections.directoryPool,
    connections.redis,
    endpoints.directory,
    erased,
    dropped,
    publishing.eventCodec,
    publishing.attemptCodec,
    publishing.producer,
    send.http,
    buildAnnouncing({ ...common, ...connections, publish }),
    endpoints.failing,
    endpoints.breakerReports,
    fanOut.unjudgedFilters,
    fanOut.consumer,
    deliveries,
    waitingRows,
    scheduler,
    replays.bulk,
    replays.single,
    replays.following,
  ];
}
