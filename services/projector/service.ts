import { groupOf, readSchema, topicsOf } from '#lib/contract';
import { createBury, createBuryBatch, createBuryRecord, createKeepDeadLetter } from '#lib/dead-letters';
import { awaitedChannel } from '#lib/event-store';
import {
  countPartitions,
  createAttemptCodec,
  createConsumer,
  createEventCodec,
  createProducer,
  kafkaAccess,
} from '#lib/kafka';
import { createListener, createPools, postgresAccess, watchClock } from '#lib/postgres';
import { createWaitOut, type Part } from '#lib/runtime';
import { reportProcess, type ServiceContext } from '#lib/service-host';
import { createAwaited } from './awaited.ts';
import type { ProjectorConfig } from './config.ts';
import { watchDatabase } from './database-vitals.ts';
import { type Fact, rowsOf, tenantOf } from './facts.ts';
import { createGroupCommit } from './group-commit.ts';
import { createProjectorMetrics, projectorMetrics } from './metrics.ts';
import { createPartitionOwners } from './partition-owners.ts';
import { createRecordHandler, maxRowsAtOnce } from './project-records.ts';
import { createReadAhead } from './read-ahead.ts';
import { createRecordReader, projectedTopics } from './read-record.ts';
import { createRetention } from './retention/retention.ts';
import { createStore } from './store.ts';

/**
 * One for the transactions, which come one after the other, one for that which waits for a clock, one for what was set aside, and one for
 * those who only look.
 */
const maxConnections = 4;
/** As much as one call hands over is prepared at once; all that is prepared by then is committed together. */
const groups = {
  maxItems: 500,
  maxBytes: 4 * 1024 * 1024,
  maxRows: maxRowsAtOnce,
  rowsOf,
  tenantOf,
};
const statementTimeoutMs = 10_000;
/**
 * Statements are planned once a session. Where the first batches of a session are small, the server would otherwise plan some of them anew for
 * ever, because it takes a plan for ten rows to be dearer. A plan that is kept may be from when the tables were empty, so it goes by their
 * indexes.
 */
const sessionSettings = ['plan_cache_mode=force_generic_plan', 'enable_seqscan=off'];
/**
 * Locks of others are given back within milliseconds, but for those that last seconds: a process that stands still, a bulk change, an
 * operator's session. By then the tenant is set aside, and this is how long it delays others.
 */
const lockTimeoutMs = 200;
/** Rows that a sweep has locked by then wait for it; it is tried again a minute later. */
const retentionLockTimeoutMs = 1_000;
/** Under load records gather at their broker for a part of the time: fewer fetches. Those that somebody waits for do so, too. */
const atBrokerMs = (gatherMs: number): number => Math.min(100, gatherMs / 4);
/** Asked again until there is an answer; a stop has to wait for one try. */
const askTimeoutMs = 5_000;

/** The projector's parts, leaves first; README.md tells how a record runs through them. */
export function build(config: ProjectorConfig, context: ServiceContext): Part[] {
  const { log, clock, tracer, crashPoints } = context;
  const name = 'hookline-projector';
  const topics = topicsOf(config.topicPrefix);
  const kafka = { ...kafkaAccess(config), clientId: name, clock, log, metrics: context.metrics };
  const registry = { registryUrl: config.schemaRegistryUrl, clock, log };
  const metrics = createProjectorMetrics(context.metrics);
  const waitOut = createWaitOut({ clock, log });

  const openPool = createPools({ ...postgresAccess(config), name, log, metrics: context.metrics });
  const writing = { statementTimeoutMs, lockTimeoutMs, sessionSettings, isPipelined: true };
  const postgres = openPool({ maxConnections, ...writing });
  const ahead = openPool({ use: 'ahead', maxConnections: 1, ...writing });
  const retentionPostgres = openPool({
    use: 'retention',
    maxConnections: 1,
    statementTimeoutMs,
    lockTimeoutMs: retentionLockTimeoutMs,
  });
  const retention = createRetention({
    postgres: retentionPostgres,
    payloadDays: config.payloadRetentionDays,
    eventDays: config.eventRetentionDays,
    clock,
    log,
    metrics,
  });
  const events = createEventCodec({ ...registry, topic: topics.events, schema: readSchema('events') });
  const attempts = createAttemptCodec({
    ...registry,
    topic: topics['delivery.attempts'],
    schema: readSchema('delivery.attempts'),
  });
  const producer = (context.createProducer ?? createProducer)({
    ...kafka,
    tracer,
    topics: [topics['dead-letters']],
    compression: config.kafkaCompression,
  });

  const bury = createBury({
    producer,
    topic: topics['dead-letters'],
    keep: createKeepDeadLetter(postgres),
    counter: projectorMetrics.deadLetters,
    waitOut,
    clock,
    log,
    metrics: context.metrics,
  });
  const owners = createPartitionOwners(
    () => countPartitions(kafka, topics.deliveries, { clock, log, timeoutMs: askTimeoutMs }),
    waitOut,
  );

  const store = createStore({ postgres, ahead, partitionOf: owners.partitionOf, clock, crashPoints });
  const groupId = groupOf(config.topicPrefix, 'projector');
  const awaited = createAwaited(clock, () => consumer.handOut());
  const listener = createListener({
    ...postgresAccess(config),
    applicationName: `${name}-listener`,
    channel: awaitedChannel,
    clock,
    log,
    onListening: () => undefined,
    onNotification: awaited.heard,
  });
  const reading = createReadAhead(
    createRecordReader({ topics, decodeEvent: events.decode, decodeAttempt: attempts.decode }),
    awaited.has,
  );
  const consumer = createConsumer({
    ...kafka,
    maxQueuedBytes: config.consumerQueueBytes,
    maxDecompressedBytes: config.decompressedBytes,
    sessionTimeoutMs: config.sessionTimeoutMs,
    groupId,
    topics: projectedTopics.map((topic) => topics[topic]),
    gatherMs: atBrokerMs(config.gatherMs),
    ...(config.gatherMs > 0 && { gathering: { maxMs: config.gatherMs, isAwaited: reading.isAwaited } }),
    commitIntervalMs: config.commitIntervalMs,
    handle: createRecordHandler({
      read: reading.read,
      write: createGroupCommit<Fact>({ store, ...groups }),
      writeAlone: store.commitWaiting,
      buryRecord: createBuryRecord({ bury, stage: 'projector', log }),
      deadLettersTopic: topics['dead-letters'],
      waitOut,
      tracer,
      groupId,
      clock,
      log,
      metrics,
      crashPoints,
      random: Math.random,
      onFailure: context.fail,
    }),
    onUndecodable: createBuryBatch({ bury, stage: 'projector', log }),
    onFailure: context.fail,
  });
  const vitals = watchDatabase({ postgres, maxBytes: config.databaseMaxBytes, clock, log, metrics });
  const clocks = watchClock({ postgres, clock, log, metrics: context.metrics });
  const report = reportProcess(context, postgres);
  return [
    postgres,
    ahead,
    clocks,
    ...report,
    vitals,
    retentionPostgres,
    retention,
    events,
    attempts,
    producer,
    owners,
    listener,
    consumer,
  ];
}
