import { topicsOf } from '#lib/contract';
import { createProducer, kafkaAccess } from '#lib/kafka';
import { createLagReading } from '#lib/lag';
import { createHttpServer, networksOf } from '#lib/net';
import { createPools, directoryPool, postgresAccess, watchClock } from '#lib/postgres';
import { createRateLimiter, createRedisBuckets } from '#lib/rate-limit';
import { createRedis, redisAccess } from '#lib/redis';
import { createPart, type Part, randomPool as random } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { reportProcess, type ServiceContext } from '#lib/service-host';
import { createTrails } from '#lib/signatures';
import { buildApp } from './app.ts';
import type { IngressConfig } from './config.ts';
import { answerWithinMs, createAdmission } from './load-shedding/admission.ts';
import { createAnswerDelay } from './load-shedding/answer-delay.ts';
import { createBusyReport } from './load-shedding/busy-report.ts';
import { createLoopDelay } from './load-shedding/loop-delay.ts';
import { createRateGate } from './load-shedding/rate-gate.ts';
import { createIngressMetrics } from './metrics.ts';
import { createRejectingSources } from './rejections/rejecting-sources.ts';
import { createRejectingTable } from './rejections/rejecting-table.ts';
import { createRejectionLog } from './rejections/rejection-log.ts';
import { createRejectionTable } from './rejections/rejection-table.ts';
import { createCredentialNames } from './sources/credential-names.ts';
import { createSourceDirectory } from './sources/source-directory.ts';
import { openTls } from './tls.ts';

/** Each webhook has its own time limit, which is less; see admission.ts. */
const deliveryTimeoutMs = answerWithinMs;
/** Nobody waits longer for a permit; after that, each process enforces its share. */
const redisTimeLimitMs = 50;
/** So many connections are taken in one turn of the event loop. */
const listeners = 256;
/** Redis may be away: it is not waited for. */
const redisStartTimeoutMs = 500;
/**
 * After which a connection to a broker that does not answer is renewed. No sender waits for it by then, and the next ones should not find
 * the same connection.
 */
const requestTimeoutMs = 5_000;
/** Less than the time-out of a look-up, so that one slow read does not delay the next. */
const statementTimeoutMs = 1_000;

const name = 'hookline-ingress';

/** The ingress's parts, leaves first; see README.md for how a webhook runs through them. */
export function build(config: IngressConfig, context: ServiceContext): Part[] {
  const { log, clock, tracer, crashPoints } = context;
  const topic = topicsOf(config.topicPrefix)['webhooks.received'];
  const encryptionKeys = parseEncryptionKeys(config.encryptionKeys);
  const openPool = createPools({ ...postgresAccess(config), name, log, metrics: context.metrics });
  const postgres = openPool({ maxConnections: 2, statementTimeoutMs });
  const followPostgres = openPool(directoryPool);
  const sources = createSourceDirectory({
    followPostgres,
    postgres,
    secretBox: createSecretBox(encryptionKeys),
    clock,
    log,
  });
  const credentialNames = createCredentialNames({ postgres, clock, log });
  const producer = (context.createProducer ?? createProducer)({
    ...kafkaAccess(config),
    clientId: name,
    clock,
    log,
    metrics: context.metrics,
    tracer,
    topics: [topic],
    compression: config.kafkaCompression,
    deliveryTimeoutMs,
    // Before the 202: what is gathered here is read together all the way, and no receiver has waited for it.
    lingerMs: config.gatherMs / 2,
    requestTimeoutMs,
    maxPendingRecords: config.maxPendingRecords,
    maxPendingBytes: config.maxPendingBytes,
  });
  const metrics = createIngressMetrics(context.metrics, {
    records: () => producer.pending().records,
    maxRecords: config.maxPendingRecords,
  });
  const reportBusy = createBusyReport({ metrics, clock, log });
  const loopDelay = createLoopDelay(clock);
  const admission = createAdmission({
    producer,
    loopDelay,
    clock,
    maxPendingRecords: config.maxPendingRecords,
    maxPendingBytes: config.maxPendingBytes,
    onRefusal: reportBusy,
  });
  const redis = createRedis({
    ...redisAccess(config),
    name,
    clock,
    log,
    timeLimitMs: redisTimeLimitMs,
    startTimeoutMs: redisStartTimeoutMs,
    optional: true,
    metrics: context.metrics,
  });
  const buckets = createRedisBuckets({
    redis,
    prefix: `${config.topicPrefix}rate:source:`,
    processId: random(8).toString('hex'),
  });
  const answerDelay = createAnswerDelay({
    lag: createLagReading({ redis, prefix: config.topicPrefix, clock }),
    maxDelayMs: config.maxDelayMs,
    clock,
    metrics,
  });
  const rejections = createRejectionLog({
    table: createRejectionTable(postgres),
    retentionDays: config.rejectionRetentionDays,
    clock,
    log,
    metrics,
  });
  const rejectingSources = createRejectingSources({
    table: createRejectingTable(postgres),
    rejecting: sources.rejecting,
    read: sources.recent,
    clock,
    log,
  });
  const tls = openTls(config);
  const app = buildApp({
    sources,
    credentialNames,
    admission,
    answerDelay,
    rateGate: createRateGate(createRateLimiter({ buckets, clock, log })),
    topic,
    trails: createTrails(encryptionKeys),
    clock,
    random,
    crashPoints,
    metrics,
    tracer,
    reportBusy,
    maxConnections: config.maxConnections,
    rejections,
    rejectingSources,
    log,
    bodyTimeoutMs: config.bodyTimeoutMs,
    maxReadingBytes: config.maxReadingBytes,
    trustedProxies: networksOf(config.trustedProxies),
    ...(tls === undefined ? {} : { tls: tls.options }),
  });
  const server = createHttpServer({ app, host: config.host, port: config.port, listeners });
  const renewal = tls === undefined ? [] : [tls.renewal(app.server, { clock, log, onInUse: metrics.certificateInUse })];
  const clocks = watchClock({ postgres, clock, log, metrics: context.metrics });
  const report = reportProcess(context, postgres);
  // Stopped before the server, which waits for its answers.
  const heldAnswers = createPart(
    'held answers',
    async () => undefined,
    async () => answerDelay.end(),
  );
  const background = [rejections, rejectingSources, loopDelay, ...renewal];
  return [
    postgres,
    followPostgres,
    clocks,
    ...report,
    sources,
    credentialNames,
    redis,
    producer,
    ...background,
    server,
    heldAnswers,
  ];
}
