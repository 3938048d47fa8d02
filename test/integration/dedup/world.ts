/**
 * Dedup on real servers: its topics and database, a Redis of its own that may be told to forget and to die, the service as processes that
 * crash points kill, and single workers that are given records by hand.
 */
import { join } from 'node:path';
import { groupOf, parseDeadLetter, parseDuplicate, readSchema, topicDefinitions, topicsOf } from '#lib/contract';
import { createKeepDeadLetter } from '#lib/dead-letters';
import { createDedupStore, createPostgresKeyTable, createRedisKeyMemory, type DedupStore } from '#lib/dedup-store';
import {
  createConsumer,
  createEventCodec,
  createProducer,
  createTopics,
  type IncomingRecord,
  originOf,
  registerSchemas,
  valueSubject,
} from '#lib/kafka';
import { createPostgres } from '#lib/postgres';
import { createRedis } from '#lib/redis';
import { type CrashPointName, type Part, silentLogger, systemClock } from '#lib/runtime';
import { createEnforcement } from '#lib/schema-checks';
import { Metrics } from '#lib/telemetry';
import { createDedup, type Dedup } from '../../../services/dedup/dedup.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { withDatabase } from '../../support/with-database.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { patientChecks, patientClock } from '../../support/patient-checks.ts';
import { startOrphanReaper } from '../../support/orphan-reaper.ts';
import { createDatabase, serverAddresses, sessionTimeoutOfTests, uniquePrefix } from '../../support/servers.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { recordOf } from '../../unit/dedup/records.ts';
import type { Outcomes } from '../../unit/dedup/sum.ts';
import { untilCompleted } from '../../unit/dedup/world.ts';
import { startOwnRedis } from './redis-server.ts';
import { nothingErased } from '../../support/nothing-erased.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Kills a worker at a crash point: nothing after it runs. */
export class Crash extends Error {}

export interface Worker extends Dedup {
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../../..');
/** More than the service's own: a busy machine must not turn these into tests of the time limit. */
const redisTimeLimitMs = 2_000;
/** So that an event can be too large for its topic. */
export const maxEventBytes = 200_000;

interface WorldOptions {
  partitions?: number;
  /** False: for so many records that they can't be kept; then there are no `outcomes`. */
  keepsOutcomes?: boolean;
}

export async function createWorld({ partitions = 3, keepsOutcomes = true }: WorldOptions = {}) {
  const { kafkaBrokers: brokers, schemaRegistryUrl: registryUrl } = serverAddresses();
  const topicPrefix = uniquePrefix('dedup');
  const topics = topicsOf(topicPrefix);
  const databaseUrl = await createDatabase();
  let redisServer = await startOwnRedis();
  const common = { clock: systemClock, log: silentLogger };
  const kafka = { ...common, brokers, clientId: 'test', metrics: new Metrics() };
  const env = {
    HOOKLINE_ENV: 'test',
    HOOKLINE_HOST: '127.0.0.1',
    HOOKLINE_KAFKA_BROKERS: brokers.join(','),
    HOOKLINE_TOPIC_PREFIX: topicPrefix,
    HOOKLINE_KAFKA_SESSION_TIMEOUT_MS: String(sessionTimeoutOfTests),
    HOOKLINE_DATABASE_URL: databaseUrl,
    HOOKLINE_REDIS_URL: redisServer.url,
    HOOKLINE_DEDUP_REDIS_TIME_LIMIT_MS: String(redisTimeLimitMs),
    HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
  };

  const definitions = topicDefinitions({ topicPrefix, partitions, replicationFactor: 1 }).map((definition) =>
    definition.name === topics.events
      ? { ...definition, config: { ...definition.config, 'max.message.bytes': String(maxEventBytes) } }
      : definition,
  );
  await createTopics({ brokers }, definitions, common);
  await registerSchemas([{ subject: valueSubject(topics.events), schema: readSchema('events') }], {
    ...common,
    registryUrl,
  });
  const newPostgres = (more: { lockTimeoutMs?: number } = {}) =>
    createPostgres({
      ...common,
      url: databaseUrl,
      applicationName: 'hookline-test',
      maxConnections: 2,
      statementTimeoutMs: 10_000,
      ...more,
    });
  const codec = createEventCodec({ ...common, registryUrl, topic: topics.events, schema: readSchema('events') });
  const producer = createProducer(kafka);
  const offsets = await connectKafkaOffsets(brokers);

  const written: IncomingRecord[] = [];
  const reader = createConsumer({
    ...kafka,
    groupId: `${topicPrefix}reader`,
    topics: [topics.events, topics.duplicates, topics['dead-letters']],
    onUndecodable: noneUndecodable,
    handle: async (records) => {
      written.push(...records);
      for (const record of records) record.done();
    },
    onFailure: (error) => {
      throw error;
    },
  });
  const parts: Part[] = [codec, producer, ...(keepsOutcomes ? [reader] : [])];
  for (const part of parts) await part.start();
  const workers: Worker[] = [];
  const children = new Set<ServiceProcess>();

  const on = (topic: string): IncomingRecord[] => written.filter((record) => record.topic === topic);
  const well = <T extends object>(parsed: T | { malformed: string }): T => {
    if ('malformed' in parsed) throw new Error(parsed.malformed);
    return parsed;
  };

  /** Ends what a test has started; answers how the processes ended that were still there. */
  const stopServices = async (): Promise<(number | null)[]> => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    const exits = await Promise.all([...children].map((child) => child.stop(20_000)));
    return exits.map(({ code }) => code);
  };

  return {
    topics,
    /** For others that are to use the same servers. */
    databaseUrl,
    redisUrl: redisServer.url,
    topicPrefix,
    /** Makes the database refuse new sessions and end all others; or accept them again. */
    async barDatabase(barred: boolean): Promise<void> {
      const database = new URL(databaseUrl).pathname.slice(1);
      await withDatabase(serverAddresses().databaseUrl, async (admin) => {
        await admin.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS ${!barred}`);
        if (barred)
          await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
      });
    },
    /** Runs the work while no statement on the dedup keys is answered, or while this one's locks are held. */
    async whileDatabaseHangs(
      work: () => Promise<void>,
      locking = 'LOCK TABLE dedup_keys IN ACCESS EXCLUSIVE MODE',
    ): Promise<void> {
      const holder = newPostgres();
      await holder.start();
      await holder
        .transaction(async (tx) => {
          await tx.query(locking);
          let working = true;
          const done = work().finally(() => (working = false));
          // A transaction that does nothing would be ended.
          while (working) await tx.query('SELECT pg_sleep(0.5)');
          await done;
        })
        // oxlint-disable-next-line typescript/no-misused-promises
        .finally(() => holder.stop());
    },
    /** A Redis that has died may be started again, at the same address and empty. */
    redis: {
      flushAll: () => redisServer.command('FLUSHALL'),
      stop: () => redisServer.stop(),
      hang: () => redisServer.hang(),
      resume: () => redisServer.resume(),
      start: async () => void (redisServer = await startOwnRedis({}, redisServer.port)),
      restartEvicting: async () => {
        await redisServer.stop();
        redisServer = await startOwnRedis({ 'maxmemory-policy': 'allkeys-lru' }, redisServer.port);
      },
    },

    /** Writes webhooks as the ingress does; gives their origins. */
    async receive(
      webhooks: readonly { id: string; body?: string; tenant?: string; orderingKey?: string; receivedAt?: number }[],
    ): Promise<string[]> {
      const positions = await Promise.all(
        webhooks.map((webhook, index) => {
          const { value, headers } = recordOf({ receivedAt: Date.now() * 1000, ...webhook, offset: index });
          return producer.send({
            topic: topics['webhooks.received'],
            key: webhook.orderingKey ?? null,
            value,
            headers,
          });
        }),
      );
      return positions.map(originOf);
    },
    send: producer.send,

    /** One worker, on the same servers, that is given records by hand. */
    async startWorker(
      options: { crashAt?: CrashPointName; breakStore?: (store: DedupStore) => DedupStore } = {},
    ): Promise<Worker> {
      const { crashAt, breakStore = (store: DedupStore) => store } = options;
      const redis = createRedis({
        ...common,
        url: redisServer.url,
        name: 'test',
        timeLimitMs: redisTimeLimitMs,
        startTimeoutMs: 500,
      });
      const ownPostgres = newPostgres({ lockTimeoutMs: 200 });
      const checks = patientChecks();
      await Promise.all([redis.start(), ownPostgres.start(), checks.start()]);
      const failures: Error[] = [];
      const dedup = createDedup({
        ...nothingErased,
        lag: { note: () => undefined },
        ...common,
        store: breakStore(
          createDedupStore({
            memory: createRedisKeyMemory(redis, topicPrefix),
            table: createPostgresKeyTable(ownPostgres),
          }),
        ),
        keepDeadLetter: createKeepDeadLetter(ownPostgres),
        producer,
        topics,
        encodeEvent: codec.encode,
        matchNarrow: () => ({ wide: 'endpoints' }),
        enforcement: createEnforcement({ postgres: ownPostgres, checks, clock: patientClock }),
        crashPoints: {
          reach(point) {
            if (point === crashAt) throw new Crash(point);
          },
        },
        completeWithinMs: 0,
        metrics: new Metrics(),
        random: Math.random,
        fail: (error) => void failures.push(error),
      });
      const stop = async (): Promise<void> => {
        await dedup.idle();
        await Promise.all([redis.stop(), ownPostgres.stop(), checks.stop()]);
      };
      const worker = { ...dedup, handle: untilCompleted(dedup, failures), stop };
      workers.push(worker);
      return worker;
    },

    /** The service as a process of its own, which a crash point can kill. */
    async spawn(more: Record<string, string> = {}): Promise<ServiceProcess & { lines: string[]; adminUrl: string }> {
      const [adminPort = 0] = await freePorts(1);
      const adminUrl = `http://127.0.0.1:${adminPort}`;
      const reaper = startOrphanReaper();
      const lines: string[] = [];
      const child = startServiceProcess({
        name: 'dedup',
        args: ['services/dedup/main.ts'],
        cwd: root,
        env: { ...env, HOOKLINE_ADMIN_PORT: String(adminPort), ...more },
        adminUrls: [adminUrl],
        onLine: (line) => void lines.push(line),
        reaper,
      });
      void child.exited.then(() => reaper.stop());
      children.add(child);
      void child.exited.then(() => children.delete(child));
      return { ...child, lines, adminUrl };
    },

    /** Resolves when every received record is committed. */
    async committed(options: { timeoutMs?: number } = {}): Promise<void> {
      const topic = topics['webhooks.received'];
      const behind = async (): Promise<string[]> => {
        const [ends, committed] = [
          await offsets.ends([topic]),
          await offsets.committed(groupOf(topicPrefix, 'dedup'), topic),
        ];
        return Object.entries(ends)
          .filter(([partition, end]) => (committed[partition] ?? 0) < end)
          .map(([partition, end]) => `${partition}: ${committed[partition] ?? 0} of ${end}`);
      };
      let last: string[] = [];
      await waitUntil('dedup has committed every record', async () => (last = await behind()).length === 0, {
        ...options,
        everyMs: 100,
        describe: () => last.join('\n'),
      });
    },

    /** How many records stand on dedup's topics at this moment. */
    async ends(): Promise<{ events: number; duplicates: number }> {
      const sum = async (topic: string): Promise<number> =>
        Object.values(await offsets.ends([topic])).reduce((total, end) => total + end, 0);
      return { events: await sum(topics.events), duplicates: await sum(topics.duplicates) };
    },

    /** The present records on dedup's topics. */
    async outcomes(): Promise<Outcomes & { records(topic: string): IncomingRecord[] }> {
      const ends = await offsets.ends([topics.events, topics.duplicates, topics['dead-letters']]);
      const total = Object.values(ends).reduce((sum, end) => sum + end, 0);
      await waitUntil('all outcomes are read', () => written.length >= total, {
        describe: () => `${written.length} of ${total}`,
      });
      const events = await Promise.all(on(topics.events).map(({ value }) => codec.decode(value)));
      return {
        events: () => events,
        duplicates: () => on(topics.duplicates).map(({ value }) => well(parseDuplicate(value))),
        deadLetters: () => on(topics['dead-letters']).map(({ headers }) => well(parseDeadLetter(headers))),
        records: on,
      };
    },

    stopServices,
    async stop(): Promise<void> {
      await stopServices();
      for (const part of [...parts].reverse()) await part.stop();
      await offsets.deleteTopics(Object.values(topics));
      await offsets.close();
      await redisServer.stop();
    },
  };
}
