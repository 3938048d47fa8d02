import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSettings } from '../faults/support/fault-run.ts';
import { type FaultyRedis, startFaultyRedis } from '../faults/support/servers.ts';
import { createDatabase, serverAddresses, sessionTimeoutOfTests, uniquePrefix } from '../support/servers.ts';

interface SmallRun<Result> {
  name: string;
  seed: number;
  /** A Redis of the run's own is among its settings' servers. */
  run(settings: RunSettings, redis: FaultyRedis): Promise<{ results: readonly Result[] }>;
  formatTable(results: readonly Result[]): string;
}

/** Before jest's own limit, which would not tell how far the run had come. */
const limitMs = 800_000;

/** The small form of a run of test/faults, with the servers that other tests use too. Throws where anything was violated. */
export async function smallFaultRun<Result extends { violations: readonly string[] }>({
  name,
  seed,
  run,
  formatTable,
}: SmallRun<Result>): Promise<readonly Result[]> {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-faults-'));
  const redis = await startFaultyRedis();
  const lines: string[] = [];
  try {
    const settings: RunSettings = {
      servers: { ...serverAddresses(), redisUrl: redis.url },
      databaseUrl: await createDatabase(),
      topicPrefix: uniquePrefix(name),
      sessionTimeoutMs: sessionTimeoutOfTests,
      seed,
      dir,
      say: (line) => void lines.push(line),
    };
    const said = (): string => `seed ${seed}\n${lines.join('\n')}`;
    const { results } = await withinLimit(run(settings, redis), said);
    const report = `${said()}\n${formatTable(results)}`;
    const violations = results.flatMap(({ violations: each }) => each);
    // The violations come first: a cut log keeps them.
    if (violations.length > 0) throw new Error(`${violations.join('\n')}\n${report}`);
    console.log(report);
    return results;
  } finally {
    await redis.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function withinLimit<T>(running: Promise<T>, said: () => string): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error(`not at its end after ${limitMs / 1000} s`)), limitMs);
  try {
    return await Promise.race([running, limit.promise]);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${said()}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
