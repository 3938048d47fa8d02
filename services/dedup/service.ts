import { groupOf, readSchema, topicsOf } from '#lib/contract';
import { createKeepDeadLetter } from '#lib/dead-letters';
import { createDedupStore, createPostgresKeyTable, createRedisKeyMemory } from '#lib/dedup-store';
import { createDroppedRecords, createErasedEvents } from '#lib/erasure';
import { createMatchNarrow, openSubscriberDirectory } from '#lib/fan-out';
import { createConsumer, createEventCodec, createProducer, kafkaAccess, traceRecords } from '#lib/kafka';
import { createLagReport } from '#lib/lag';
import { createPools, postgresAccess, watchClock } from '#lib/postgres';
import { createRedis, redisAccess } from '#lib/redis';
import { createPart, type Part } from '#lib/runtime';
import { type CheckLimits, createEnforcement, createSchemaChecks } from '#lib/schema-checks';
import { reportProcess, type ServiceContext } from '#lib/service-host';
import type { DedupConfig } from './config.ts';
import { createDedup } from './dedup.ts';
import { createSweep } from './sweep.ts';

/** This many batches, or tenants of a batch of which a row is locked, may be decided at a time. */
const maxConnections = 8;
const statementTimeoutMs = 5_000;
/** Rows that are locked for longer delay their own tenant: the batch is divided (decide.ts, completions.ts). */
const lockTimeoutMs = 200;
/** After a crash, the events of so long are published again. A statement for each batch would cost more than its events do at a low rate. */
const completeWithinMs = 200;
/** Other webhooks wait for a check, so a tenant may have less of the thread than it has in the API. */
const checkLimits: CheckLimits = { checkMs: 50, compileMs: 500, tenantShare: 0.2 };

/** The dedup service's parts, leaves first; see README.md for how a record runs through them. */
export function build(config: DedupConfig, context: ServiceContext): Part[] {
  const { log, clock, metrics, tracer } = context;
  const name = 'hookline-dedup';
  const topics = topicsOf(config.topicPrefix);
  const kafka = { ...kafkaAccess(config), clientId: name, clock, log, metrics };

  const database = postgresAccess(config);
  const postgres = createPools({ ...database, name, log, metrics })({
    maxConnections,
    statementTimeoutMs,
    lockTimeoutMs,
  });
  const redis = createRedis({
    ...redisAccess(config),
    name,
    clock,
    log,
    timeLimitMs: config.redisTimeLimitMs,
    metrics,
  });
  const codec = createEventCodec({
    registryUrl: config.schemaRegistryUrl,
    topic: topics.events,
    schema: readSchema('events'),
    clock,
    log,
  });
  const producer = (context.createProducer ?? createProducer)({
    ...kafka,
    tracer,
    topics: [topics.events, topics.deliveries, topics.duplicates],
    compression: config.kafkaCompression,
  });
  const { directory, parts: directoryParts } = openSubscriberDirectory({ database, name, clock, log, metrics });
  const table = createPostgresKeyTable(postgres);
  const erased = createErasedEvents({ followPostgres: postgres, postgres, clock, log });
  const dropped = createDroppedRecords({ postgres, clock, log });
  const schemaChecks = createSchemaChecks({ clock, log, limits: checkLimits });

  const dedup = createDedup({
    ...context,
    store: createDedupStore({ memory: createRedisKeyMemory(redis, config.topicPrefix), table }),
    keepDeadLetter: createKeepDeadLetter(postgres),
    erased,
    onDropped: dropped.count,
    lag: createLagReport({ redis, prefix: config.topicPrefix, stage: 'received', clock }),
    producer,
    topics,
    encodeEvent: codec.encode,
    matchNarrow: createMatchNarrow(directory, config.fanOutAtOnce),
    enforcement: createEnforcement({ postgres, checks: schemaChecks, clock }),
    completeWithinMs,
    random: Math.random,
  });
  const groupId = groupOf(config.topicPrefix, 'dedup');
  const consumer = createConsumer({
    ...kafka,
    maxQueuedBytes: config.consumerQueueBytes,
    maxDecompressedBytes: config.decompressedBytes,
    sessionTimeoutMs: config.sessionTimeoutMs,
    groupId,
    topics: [topics['webhooks.received']],
    gatherMs: config.gatherMs,
    commitIntervalMs: config.commitIntervalMs,
    handle: traceRecords({ tracer, groupId }, dedup.handle),
    onUndecodable: dedup.onUndecodable,
    onFailure: context.fail,
  });
  // After the consumer's stop, which aborts them; before their dependencies close.
  const setAside = createPart('work beside the partitions', async () => undefined, dedup.idle);
  const sweep = createSweep({
    dropExpired: (limit) => table.dropExpired(config.keepExpiredSeconds, limit),
    clock,
    log,
  });
  const clocks = watchClock({ postgres, clock, log, metrics });
  return [
    postgres,
    clocks,
    ...reportProcess(context, postgres),
    ...directoryParts,
    erased,
    dropped,
    schemaChecks,
    redis,
    codec,
    producer,
    sweep,
    setAside,
    consumer,
  ];
}
