import { randomBytes } from 'node:crypto';
import { createErasedEvents } from '#lib/erasure';
import { createMatchTurns, createUnjudgedFilters } from '#lib/event-filter';
import { parseAllowedNetworks, vetUrl } from '#lib/http-client';
import { createHttpServer, networksOf } from '#lib/net';
import { createPools, directoryPool, postgresAccess, watchClock } from '#lib/postgres';
import { createRateLimiter, createRedisBuckets } from '#lib/rate-limit';
import { createRedis, redisAccess } from '#lib/redis';
import { createPart, inRounds, type Part } from '#lib/runtime';
import { createDocumentJobs, createSchemaChecks } from '#lib/schema-checks';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { reportProcess, type ServiceContext } from '#lib/service-host';
import { createTenantLimits, createTenantUsage } from '#lib/tenancy';
import { buildApp } from './app.ts';
import type { ApiConfig } from './config.ts';
import { deleteExpiredEndpoints } from './endpoints/index.ts';
import { openErasing } from './erasures/index.ts';
import { describeOldVersions } from './event-types/index.ts';
import { createPolling } from './events/index.ts';
import { createCurrentRequest } from './http/current-request.ts';
import { openIdempotency } from './idempotency/open-idempotency.ts';
import { createKeyDirectory } from './keys/key-directory.ts';
import { createKeyUses } from './keys/key-uses.ts';
import { createOperatorKeys } from './keys/operator-keys.ts';
import { createSessionDirectory } from './keys/session-directory.ts';
import { createSessionUses } from './keys/session-uses.ts';
import { createWhyEnded, lookEveryMs } from './keys/why-ended.ts';
import { createAnnounceLimits } from './limits/announce-limits.ts';
import { followLimits } from './limits/follow-limits.ts';
import { createTenantConnections } from './limits/tenant-connections.ts';
import { createWaitingRequests } from './limits/waiting-requests.ts';
import { watchResources } from './limits/watch-resources.ts';
import { createApiMetrics } from './metrics.ts';
import { openOutbox } from './outbox/open-outbox.ts';
import { createAsOfTokens, createReplayWatch, openChoosing, showReplayUsage } from './replays/index.ts';
import { createEventSearch } from './searching/event-search.ts';

const maxConnections = 10;
/** A client waits at most so long before it is told to retry. */
const statementTimeoutMs = 5_000;
/** Nobody waits longer for a permit; after that, each process enforces its share. */
const redisTimeLimitMs = 50;
/** Redis may be away: it is not waited for. */
const redisStartTimeoutMs = 500;

const name = 'hookline-api';

/** The API's parts, leaves first. */
export function build(config: ApiConfig, context: ServiceContext): Part[] {
  const { log, clock } = context;
  const database = postgresAccess(config);
  const openPool = createPools({ ...database, name, log, metrics: context.metrics });
  const followPostgres = openPool(directoryPool);
  const limitSettings = createTenantLimits(config.tenantLimits);
  const limits = followLimits({ settings: limitSettings, followPostgres, clock, log });
  const usage = createTenantUsage(context.metrics, limits);
  const waiting = createWaitingRequests({ limits, usage });
  const currentRequest = createCurrentRequest();
  const connections = createTenantConnections({
    connections: maxConnections,
    tenant: currentRequest.tenant,
    waiting,
    usage,
  });
  const postgres = openPool({
    maxConnections,
    statementTimeoutMs,
    takeTurn: connections.takeTurn,
    signalOf: currentRequest.signal,
    isPipelined: 'on-request',
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
    prefix: `${config.topicPrefix}rate:key:`,
    processId: randomBytes(8).toString('hex'),
  });
  const keys = createKeyDirectory({ followPostgres, postgres, clock, log });
  const keyUses = createKeyUses({ postgres, clock, log });
  const limiter = createRateLimiter({ buckets, clock, log });
  const metrics = createApiMetrics(context.metrics);
  const erased = createErasedEvents({ followPostgres, postgres, clock, log });
  const { outbox, parts: outboxParts } = openOutbox(config, context, { metrics, erased });
  const closing = new AbortController();
  const encryptionKeys = parseEncryptionKeys(config.encryptionKeys);
  const secretBox = createSecretBox(encryptionKeys);
  const operatorKeys = createOperatorKeys(config, encryptionKeys);
  const sessionUses = createSessionUses({ postgres, clock, log });
  const sessions = createSessionDirectory({
    followPostgres,
    postgres,
    findKeyById: keys.findById,
    operatorKeys,
    uses: sessionUses,
    clock,
    log,
  });
  const whyEnded = createWhyEnded({ keys, sessions, erased });
  const { idempotency, sweep } = openIdempotency(config, context, { postgres, redis, secretBox });
  const { polling, listener } = createPolling({
    postgres,
    database,
    applicationName: 'hookline-api-listener',
    encryptionKeys,
    intervalSeconds: config.pollIntervalSeconds,
    maxHeldPerCredential: config.maxHeldPerKey,
    maxHeld: config.maxHeld,
    limits,
    usage,
    closing: closing.signal,
    clock,
    log,
    metrics,
  });
  const unjudgedFilters = createUnjudgedFilters({ postgres, metrics: context.metrics, clock, log });
  const announceLimits = createAnnounceLimits({ postgres: followPostgres, limits, clock, log });
  const search = createEventSearch({ database, name, log });
  const schemaChecks = createSchemaChecks({ clock, log });
  const documents = createDocumentJobs({ clock, log });
  const matchTurns = createMatchTurns();
  const choosing = openChoosing({ openPool, matchTurns, unjudgedFilters, clock, log });
  const allowedNetworks = parseAllowedNetworks(config.allowedNetworks);
  const app = buildApp({
    postgres,
    outbox,
    polling,
    whyEnded,
    erased,
    search,
    schemaChecks,
    documents,
    asOf: createAsOfTokens(encryptionKeys),
    chooseItems: choosing.wake,
    replayWatch: createReplayWatch({ postgres, clock }),
    idempotency,
    secretBox,
    encryptionKeys,
    trustedProxies: networksOf(config.trustedProxies),
    clock,
    random: randomBytes,
    closing: closing.signal,
    vetUrl: (url) => vetUrl(url, { allowHttp: config.allowHttp, allowedNetworks }),
    vetPortalUrl: (url) => vetUrl(url, { allowHttp: false, allowedNetworks: parseAllowedNetworks([]) }),
    portal: { url: withoutSlash(config.portalUrl), returnOrigins: config.portalReturnOrigins },
    // A proxy may be plain HTTP: requests through it can be HTTPS all the same.
    vetProxy: (url) => vetUrl(url, { allowHttp: true, allowedNetworks }),
    payloadRetentionDays: config.payloadRetentionDays,
    minRetrySeconds: config.minRetrySeconds,
    failingSeconds: config.failingSeconds,
    limits,
    recentLimits: limits.recent,
    limitSettings,
    usage,
    currentRequest,
    announceLimits,
    waiting,
    connections,
    matchTurns,
    unjudgedFilters,
    apiUrl: withoutSlash(config.apiUrl),
    ingressUrl: withoutSlash(config.ingressUrl),
    operatorKeys,
    findKey: keys.find,
    findSession: sessions.find,
    keyUses,
    limiter,
    ratesLeft: limiter,
    keyRate: { perSecond: config.keyRatePerSecond, burst: config.keyRateBurst },
    metrics,
    tracer: context.tracer,
    log,
  });
  return [
    postgres,
    followPostgres,
    watchClock({ postgres, clock, log, metrics: context.metrics }),
    ...reportProcess(context, postgres),
    listener,
    watchResources({ postgres: followPostgres, usage, clock, log }),
    limits,
    keys,
    sessions,
    erased,
    redis,
    keyUses,
    sessionUses,
    search,
    schemaChecks,
    documents,
    describeOldVersions({ postgres: followPostgres, documents, clock, log }),
    ...outboxParts,
    ...choosing.parts,
    sweep,
    deleteExpiredEndpoints({ postgres: followPostgres, clock, log }),
    ...openErasing(config, context, { redis, secretBox }),
    inRounds(showReplayUsage(postgres, usage), { name: 'replay usage', everyMs: 10_000, clock, log }),
    announceLimits,
    inRounds(() => polling.held.endRevoked(whyEnded), {
      name: 'callers of held requests',
      everyMs: lookEveryMs,
      clock,
      log,
    }),
    inRounds(unjudgedFilters.settle, { name: 'unjudged filters', everyMs: 1_000, lastRound: true, clock, log }),
    createHttpServer({ app, host: config.host, port: config.port }),
    // Stopped before the server, which waits for held requests.
    createPart(
      'held requests',
      async () => undefined,
      async () => closing.abort(),
    ),
  ];
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
