/** Looks at everything that a run may use up, at a steady pace. */
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import type { OwnRedis } from '../../integration/dedup/redis-server.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../support/kafka-offsets.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { pipelineServices } from '../../support/stack.ts';
import { lagsOf } from '../support/lags.ts';
import { usageOf } from './process-usage.ts';
import type { PostgresSample, RedisSample, Sample } from './sample.ts';

export interface Sampler {
  readonly offsets: KafkaOffsets;
  topics(): Promise<Sample['topics']>;
  /** Deliveries to this endpoint that wait. */
  waitingFor(endpointId: string): Promise<number>;
  /** One sample each so often until the work has ended. @throws what the work throws, or a look at it */
  during(work: Promise<unknown>, counts: () => Pick<Sample, 'accepted' | 'arrived'>): Promise<Sample[]>;
  close(): Promise<void>;
}

interface Options {
  pipeline: Pipeline;
  redis: OwnRedis;
  everySeconds: number;
  onSample(sample: Sample): void;
}

const mib = 2 ** 20;

export async function createSampler({ pipeline, redis, everySeconds, onSample }: Options): Promise<Sampler> {
  const { kafkaBrokers, databaseUrl, topicPrefix } = pipeline.stack;
  const offsets = await connectKafkaOffsets(kafkaBrokers);
  const database = createPostgres({
    url: databaseUrl,
    applicationName: 'soak',
    maxConnections: 1,
    statementTimeoutMs: 30_000,
    log: silentLogger,
  });
  await database.start();

  const topics = (): Promise<Sample['topics']> => lagsOf(offsets, topicPrefix);

  const look = async (atSeconds: number): Promise<Omit<Sample, 'accepted' | 'arrived'>> => {
    const pids = pipeline.processIds();
    const processes = await Promise.all(
      pipelineServices.map(async (name) => [name, await usageOf(pids[name] ?? 0, pipeline.metricsUrl(name))] as const),
    );
    return {
      atSeconds,
      processes: Object.fromEntries(processes) as Sample['processes'],
      topics: await topics(),
      postgres: await lookAtPostgres(database),
      redis: await lookAtRedis(redis),
    };
  };

  return {
    offsets,
    topics,
    async waitingFor(endpointId) {
      const [found] = await database.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM waiting WHERE endpoint_id = $1',
        [endpointId],
      );
      return found?.n ?? 0;
    },
    async during(work, counts) {
      const samples: Sample[] = [];
      const startMs = performance.now();
      let isOver = false;
      const end = (): void => void (isOver = true);
      work.then(end, end);
      for (let next = 0; !isOver; next += everySeconds) {
        const waitMs = startMs + next * 1_000 - performance.now();
        if (waitMs > 0) await Promise.race([work, delay(waitMs)]);
        if (isOver) break;
        const sample = { ...(await look((performance.now() - startMs) / 1_000)), ...counts() };
        samples.push(sample);
        onSample(sample);
      }
      await work;
      return samples;
    },
    close: async () => void (await Promise.all([offsets.close(), database.stop()])),
  };
}

async function lookAtPostgres(database: Postgres): Promise<PostgresSample> {
  const [counts] = await database.query<{ sessions: number; waiting: number; unpublished: number }>(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS sessions,
            (SELECT count(*)::int FROM waiting) AS waiting,
            (SELECT count(*)::int FROM outbox) AS unpublished`,
  );
  const tables = await database.query<{ name: string; bytes: number }>(
    `SELECT coalesce(parent.relname, child.relname) AS name, sum(pg_total_relation_size(child.oid))::float8 AS bytes
       FROM pg_class child
       LEFT JOIN pg_inherits ON inhrelid = child.oid
       LEFT JOIN pg_class parent ON parent.oid = inhparent
      WHERE child.relkind = 'r' AND child.relnamespace = 'public'::regnamespace
      GROUP BY 1 ORDER BY 1`,
  );
  if (counts === undefined) throw new Error('Postgres counted nothing');
  return { ...counts, tableMib: Object.fromEntries(tables.map(({ name, bytes }) => [name, bytes / mib])) };
}

async function lookAtRedis(redis: OwnRedis): Promise<RedisSample> {
  const info = await redis.command('INFO');
  const field = (pattern: RegExp): number => {
    const [, value] = pattern.exec(info) ?? [];
    if (value === undefined) throw new Error(`Redis does not tell ${pattern.source}`);
    return Number(value);
  };
  return {
    usedMib: field(/^used_memory:(\d+)/m) / mib,
    // The line is not there while it has none.
    keys: Number(/^db0:keys=(\d+)/m.exec(info)?.[1] ?? 0),
    clients: field(/^connected_clients:(\d+)/m),
  };
}
