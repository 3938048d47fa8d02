/**
 * The same keys as dedup is given, through the same statements and round trips, batch by batch, without Kafka and without anything made of
 * them: what dedup could do at best. Reports its own processor time and how long it took.
 */
import { type Candidate, createDedupStore, createPostgresKeyTable, createRedisKeyMemory } from '#lib/dedup-store';
import { createPostgres } from '#lib/postgres';
import { createRedis } from '#lib/redis';
import { silentLogger, systemClock } from '#lib/runtime';
import { candidateOf } from './keys.ts';

export interface LoopJob {
  databaseUrl: string;
  redisUrl: string;
  topicPrefix: string;
  turn: number;
  /** Names of the webhooks, in order; a name that comes twice is a repetition. */
  names: readonly string[];
  batch: number;
  /** Batches at the same time, as dedup has one of each partition. */
  atOnce: number;
}

export interface LoopReport {
  first: number;
  duplicates: number;
  seconds: number;
  processorSeconds: number;
}

process.once('message', (job) => {
  void run(job as LoopJob).then((report) => process.send?.(report));
});

async function run(job: LoopJob): Promise<LoopReport> {
  const common = { clock: systemClock, log: silentLogger };
  const redis = createRedis({ ...common, url: job.redisUrl, name: 'bench', timeLimitMs: 5_000 });
  const connections = { applicationName: 'hookline-bench', maxConnections: 8, statementTimeoutMs: 10_000 };
  const postgres = createPostgres({ ...common, ...connections, url: job.databaseUrl });
  await Promise.all([redis.start(), postgres.start()]);
  const memory = createRedisKeyMemory(redis, job.topicPrefix);
  const store = createDedupStore({ memory, table: createPostgresKeyTable(postgres) });
  const candidates = job.names.map((name, offset) => candidateOf(name, { turn: job.turn, offset }));
  const batches: Candidate[][] = [];
  for (let start = 0; start < candidates.length; start += job.batch)
    batches.push(candidates.slice(start, start + job.batch));

  const report: LoopReport = { first: 0, duplicates: 0, seconds: 0, processorSeconds: 0 };
  const decide = async (all: Candidate[]): Promise<void> => {
    const firsts = [...new Map(all.toReversed().map((each) => [each.key.toString('latin1'), each])).values()];
    report.duplicates += all.length - firsts.length;
    const recalled = await store.recall(firsts);
    const open = firsts.filter((_, index) => recalled[index] === undefined);
    const verdicts = open.length === 0 ? [] : await store.decide(open);
    const published = open.filter((_, index) => verdicts[index]?.kind === 'first');
    if (published.length > 0) await store.complete(published);
    report.first += published.length;
    report.duplicates += firsts.length - published.length;
  };
  const startMs = performance.now();
  const before = process.cpuUsage();
  const next = batches.values();
  await Promise.all(
    Array.from({ length: job.atOnce }, async () => {
      for (const batch of next) await decide(batch);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  report.processorSeconds = (user + system) / 1e6;
  report.seconds = (performance.now() - startMs) / 1_000;
  await Promise.all([redis.stop(), postgres.stop()]);
  return report;
}
