import { randomUUID } from 'node:crypto';
import { createWaitOut } from '#lib/backoff';
import { groupOf, longestWindowSeconds, topicsOf } from '#lib/contract';
import { createBury, createKeepDeadLetter } from '#lib/dead-letters';
import { readSchema } from '#deploy/kafka/schemas.ts';
import { isAppError } from '#lib/errors';
import { createJudgingTurns, createUnjudgedFilters } from '#lib/event-filter';
import { createMatchEndpoints } from '#lib/fan-out';
import { createHttpClient, parseAllowedNetworks } from '#lib/http-client';
import {
  createAttemptCodec,
  createConsumer,
  createEventCodec,
  createProducer,
  kafkaAccess,
  traceRecords,
} from '#lib/kafka';
import { inRounds, type Part } from '#lib/lifecycle';
import { createPostgres, watchClock } from '#lib/postgres';
import { createRateLimiter, createRedisBuckets } from '#lib/rate-limit';
import { createRedis } from '#lib/redis';
import { createReplayWork, type ReplayLane } from '#lib/replay-store';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import type { ServiceContext } from '#lib/service-host';
import { createTenantLimits, createTenantUsage } from '#lib/tenancy';
import { createAnnounceDisablings } from './announce-disablings.ts';
import { createAttempt } from './attempt.ts';
import type { DispatcherConfig } from './config.ts';
import { createDisableEndpoint } from './disable-endpoint.ts';
import { createDispatch } from './dispatch.ts';
import { createEndCancelled } from './end-cancelled.ts';
import { createEndOverdue } from './end-overdue.ts';
import { createEndRefused } from './end-refused.ts';
import { factsOf } from './endpoint.ts';
import { createEndpointDirectory } from './endpoint-directory.ts';
import { createEndpointFailing } from './endpoint-failing.ts';
import { createEndpointHealth } from './endpoint-health.ts';
import { createFanOut } from './fan-out.ts';
import { createIntake } from './intake.ts';
import { createKnownDeliveries } from './known-deliveries.ts';
import { createDispatcherMetrics } from './metrics.ts';
import { createOrderedIntake } from './ordered-intake.ts';
import { createOrderedRows } from './ordered-rows.ts';
import { createOrderedTable } from './ordered-table.ts';
import { waitingSessionSettings } from './lanes-with-rows.ts';
import { createOutcomeWriter } from './outcome-writer.ts';
import { createOverdueTable } from './overdue-table.ts';
import { createOwnedPartitions } from './owned-partitions.ts';
import { createOffer, createPublish } from './publish.ts';
import { createReadContents } from './read-contents.ts';
import { createRecentSteps } from './recent-steps.ts';
import { createReleaseOrdered } from './release-ordered.ts';
import { createPlaces } from './replay/places.ts';
import { createReplayRunner } from './replay/replay-runner.ts';
import { createRunReplay } from './replay/run-replay.ts';
import { createSendItems } from './replay/send-items.ts';
import { createScheduler, dispatcherShares } from './scheduler.ts';
import { createSetAside } from './set-aside.ts';
import { skipFannedOut } from './skip-fanned-out.ts';
import { createTakePermit } from './take-permit.ts';
import { createWaitingRows } from './waiting-rows.ts';
import { createWaitingTable } from './waiting-table.ts';
import { createWriteSet } from './write-set.ts';

/** What may have been sent before, rows that have served, ordered rows, endpoints that are given up. */
const maxConnections = 4;
/** Of their own: what is delivered never waits for them, and replays of one item do not wait for the others. */
const replayConnections: Readonly<Record<ReplayLane, number>> = { single: 1, bulk: 2 };
/** Turns of replays that are under way at once, in each lane. */
const replayTurns = 4;
/** What is read from the table `waiting` lane by lane, one reading at a time but for those of rows that are in an order. */
const waitingConnections = 2;
const statementTimeoutMs = 5_000;
/** Nobody waits for a page of the directory's, which takes milliseconds: this is for a connection that is dead. */
const followTimeoutMs = 30_000;
/** Deliveries that have waited, in one lane and in all: a lane sends what it takes in before the table is read again, about 0.3 s later. */
const rowPlaces = 500;
const totalRowPlaces = 4_000;
/**
 * Most events were fanned out when they were published, and are passed over: the more at once, the better. The others wait for as long, and then
 * for their lane.
 */
const fanOutGatherMs = (gatherMs: number): number => 3 * gatherMs;
/** Events that take long, of as many tenants: each has up to 500 records on their way to Kafka. */
const maxAsideAtOnce = 4;
/** Shorter than elsewhere: what is done and not committed when the process dies may be sent again. */
const commitIntervalMs = 200;
/** What comes after the lanes have drained: the last commit, the last removals. */
const stopReserveMs = 5_000;

/** The dispatcher's parts, leaves first; README.md tells how an event runs through them. */
export function build(config: DispatcherConfig, context: ServiceContext): Part[] {
  const { log, clock, tracer, crashPoints } = context;
  const name = 'hookline-dispatcher';
  const topics = topicsOf(config.topicPrefix);
  const kafka = { ...kafkaAccess(config), clientId: name, clock, log, metrics: context.metrics };
  const registry = { registryUrl: config.schemaRegistryUrl, clock, log };
  const metrics = createDispatcherMetrics(context.metrics, config);
  const usage = createTenantUsage(context.metrics, createTenantLimits(config.tenantLimits));
  const waitOut = createWaitOut({ clock, log });

  const postgres = createPostgres({
    url: config.databaseUrl,
    applicationName: name,
    maxConnections,
    statementTimeoutMs,
    log,
    metrics: context.metrics,
  });
  const alongIndexes = createPostgres({
    url: config.databaseUrl,
    applicationName: `${name}-waiting`,
    maxConnections: waitingConnections,
    sessionSettings: waitingSessionSettings,
    statementTimeoutMs,
    log,
    metrics: context.metrics,
  });
  const replayPostgres = (lane: ReplayLane) =>
    createPostgres({
      url: config.databaseUrl,
      applicationName: `${name}-replay-${lane}`,
      maxConnections: replayConnections[lane],
      statementTimeoutMs,
      log,
      metrics: context.metrics,
    });
  const replayStores = { single: replayPostgres('single'), bulk: replayPostgres('bulk') };
  const followPostgres = createPostgres({
    url: config.databaseUrl,
    applicationName: `${name}-directory`,
    maxConnections: 1,
    statementTimeoutMs: followTimeoutMs,
    log,
    metrics: context.metrics,
  });
  const secretBox = createSecretBox(parseEncryptionKeys(config.encryptionKeys));
  const directory = createEndpointDirectory({
    postgres: followPostgres,
    secretBox,
    longestWindowMs: longestWindowSeconds(config.payloadRetentionDays) * 1_000,
    clock,
    log,
  });
  const events = createEventCodec({ ...registry, topic: topics.events, schema: readSchema('events') });
  const attempts = createAttemptCodec({
    ...registry,
    topic: topics['delivery.attempts'],
    schema: readSchema('delivery.attempts'),
  });
  const producer = createProducer({ ...kafka, tracer, topics: [topics['delivery.attempts'], topics.deliveries] });
  const publish = createPublish({ producer, waitOut, clock, log });
  const bury = createBury({
    producer,
    topic: topics['dead-letters'],
    keep: createKeepDeadLetter(postgres),
    waitOut,
    clock,
    log,
    metrics: context.metrics,
  });
  const offer = createOffer({ producer, waitOut, log });
  const endRefused = createEndRefused({ publish, bury, encodeAttempt: attempts.encode, topics, clock, metrics });
  const writeSet = createWriteSet({
    offer,
    encodeAttempt: attempts.encode,
    topics,
    clock,
    crashPoints,
    newTry: randomUUID,
    maxDeliveries: config.setChunk,
  });

  const fanOutGroup = groupOf(config.topicPrefix, 'fan-out');
  const unjudgedFilters = createUnjudgedFilters({ postgres, metrics: context.metrics, clock, log });
  const handleEvents = createFanOut({
    directory,
    setAside: createSetAside({ atOnce: maxAsideAtOnce, onFailure: context.fail }),
    matchEndpoints: createMatchEndpoints({ turns: createJudgingTurns(), unjudged: unjudgedFilters }),
    decodeEvent: events.decode,
    writeSet,
    bury,
    offer,
    endRefused,
    waitOut,
    topics,
    clock,
    crashPoints,
    metrics,
    log,
  });
  const fanOut = createConsumer({
    ...kafka,
    maxQueuedBytes: config.consumerQueueBytes,
    groupId: fanOutGroup,
    topics: [topics.events],
    gatherMs: fanOutGatherMs(config.gatherMs),
    commitIntervalMs,
    handle: skipFannedOut(traceRecords({ tracer, groupId: fanOutGroup }, handleEvents)),
    onFailure: context.fail,
  });

  const http = createHttpClient({
    clock,
    allowHttp: config.allowHttp,
    allowedNetworks: parseAllowedNetworks(config.allowedNetworks),
    // A lower bound would let one endpoint’s hanging requests hold up its neighbours on the same host.
    maxConnectionsPerHost: config.maxInFlight,
  });
  const owned = createOwnedPartitions(clock);
  const recentSteps = createRecentSteps(clock);
  const orderedRows = createOrderedRows({
    table: createOrderedTable(postgres, alongIndexes),
    clock,
    random: Math.random,
  });
  const givenUp = new AbortController();
  const outcomes = createOutcomeWriter({
    publish,
    bury,
    topics,
    encodeAttempt: attempts.encode,
    recentSteps,
    orderedRows,
    removeRow: (job) => waitingRows.remove(job),
    clock,
    crashPoints,
    metrics,
    signal: givenUp.signal,
  });
  const disableEndpoint = createDisableEndpoint({ postgres, metrics, log });
  const endpointFailing = createEndpointFailing({
    postgres,
    disableEndpoint,
    failingMs: config.failingSeconds * 1_000,
    clock,
    log,
  });
  const failing = inRounds(endpointFailing.settle, {
    name: 'failing endpoints',
    everyMs: 1_000,
    lastRound: true,
    clock,
    log,
  });
  const announcing = inRounds(createAnnounceDisablings({ postgres, publish, topics, clock }), {
    name: 'disablings',
    everyMs: 2_000,
    clock,
    log,
  });
  const dispatch = createDispatch({
    directory,
    attempt: createAttempt({ http, tracer, clock }),
    outcomes,
    disableEndpoint,
    endpointFailing,
    metrics,
    crashPoints,
    clock,
    random: Math.random,
    log,
  });
  const redis = createRedis({ url: config.redisUrl, name, clock, log, optional: true, metrics: context.metrics });
  const buckets = createRedisBuckets({ redis, prefix: `${config.topicPrefix}rate:endpoint:`, processId: randomUUID() });
  const limiter = createRateLimiter({ buckets, clock, log });
  const health = createEndpointHealth({
    factsOf: ({ tenant, endpointId }) => factsOf(directory.get(tenant, endpointId)),
    onClosed({ tenant, endpointId }) {
      const waking = orderedRows.wake({ tenant, endpointId, partitions: owned.numbers() });
      // Then its keys go on as their first rows come due.
      void waking.catch((error: unknown) => log.warn({ event: 'ordered.not_woken', tenant, endpointId, err: error }));
    },
    metrics,
    clock,
    random: Math.random,
    log,
  });
  const failUnlessStopped = (error: Error): void => {
    if (!isAppError(error, 'stopped')) context.fail(error);
  };
  const scheduler = createScheduler({
    limits: {
      inFlight: config.maxInFlight,
      lane: { records: config.laneRecords, bytes: config.laneBytes, rows: rowPlaces },
      totalRecords: config.queueRecords,
      totalBytes: config.queueBytes,
      totalRows: totalRowPlaces,
    },
    clock,
    health,
    paceOf: ({ tenant, endpointId }) => directory.get(tenant, endpointId)?.pace,
    takePermit: createTakePermit(limiter),
    holdsMembership: () => deliveries.holdsMembership(),
    run: dispatch,
    park: outcomes.parked,
    onFailure: failUnlessStopped,
    onHeldBack: usage.reached,
    giveUp: () => givenUp.abort(),
    drainMs: Math.max(1_000, config.shutdownTimeoutMs - stopReserveMs),
  });
  for (const share of dispatcherShares) usage.showShare(share, () => scheduler.usage(share));
  const table = createWaitingTable(postgres, alongIndexes);
  const readContents = createReadContents(table);
  const overdueTable = createOverdueTable(postgres, alongIndexes);
  const endOverdue = createEndOverdue({
    table: overdueTable,
    readContents,
    owned,
    directory,
    health,
    scheduler,
    recentSteps,
    outcomes,
    clock,
  });
  const waitingRows = createWaitingRows({
    table,
    readContents,
    orderedRows,
    releaseOrdered: createReleaseOrdered({
      orderedRows,
      readContents,
      owned,
      directory,
      scheduler,
      health,
      recentSteps,
      clock,
    }),
    owned,
    directory,
    scheduler,
    recentSteps,
    endOverdue,
    endCancelled: createEndCancelled({ table: overdueTable, owned, scheduler, recentSteps, outcomes }),
    metrics,
    clock,
    log,
  });
  const sendItems = createSendItems({ directory, table, writeSet, offer, endRefused, waitOut, topics, clock });
  const replaysOf = (lane: ReplayLane): Part => {
    const work = createReplayWork(replayStores[lane]);
    const run = createRunReplay({
      work,
      send: sendItems,
      places: createPlaces(replayTurns),
      waitOut,
      crashPoints,
      onSettled: (ends) => {
        for (const { reason } of ends) metrics.replayed(reason ?? 'replayed');
      },
    });
    return createReplayRunner({ lane, work, run, owner: randomUUID(), clock, log });
  };
  const deliveries = createConsumer({
    ...kafka,
    maxQueuedBytes: config.consumerQueueBytes,
    groupId: groupOf(config.topicPrefix, 'dispatcher'),
    topics: [topics.deliveries],
    gatherMs: config.gatherMs,
    commitIntervalMs,
    handle: createIntake({
      directory,
      scheduler,
      recentSteps,
      outcomes,
      knownDeliveries: createKnownDeliveries(postgres),
      orderedIntake: createOrderedIntake({
        directory,
        scheduler,
        recentSteps,
        outcomes,
        orderedRows,
        owned,
        waitOut,
        onFailure: failUnlessStopped,
      }),
      owned,
      clock,
      log,
    }),
    onFailure: context.fail,
    onAssigned: owned.assigned,
    onRevoked: owned.revoked,
    onOpened: owned.opened,
    onFirstRead: owned.firstRead,
    // What waits for Postgres, because an earlier owner may have had it or it is in an order, holds up its own partition alone.
    maxPartitionsPerCall: 1,
    maxCalls: Number.POSITIVE_INFINITY,
    // Above what the lanes take: a partition must not stand still because of what is queued, which would hold up every endpoint in it.
    maxOutstanding: config.queueRecords + 5_000,
    maxOutstandingBytes: config.queueBytes + 32 * 1024 * 1024,
    // The lanes have drained by then; what they did not take is left for the successor.
    stopDrainMs: 200,
  });

  // Stopped from the end: replays bring nothing more, the lanes drain, then their rows are removed and their offsets committed.
  return [
    postgres,
    watchClock({ postgres, clock, log, metrics: context.metrics }),
    alongIndexes,
    replayStores.single,
    replayStores.bulk,
    followPostgres,
    redis,
    directory,
    events,
    attempts,
    producer,
    http,
    announcing,
    failing,
    inRounds(unjudgedFilters.settle, { name: 'unjudged filters', everyMs: 1_000, lastRound: true, clock, log }),
    fanOut,
    deliveries,
    waitingRows,
    scheduler,
    replaysOf('bulk'),
    replaysOf('single'),
  ];
}
