import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSettings } from '../faults/support/fault-run.ts';
import { type FaultyRedis, startFaultyRedis } from '../faults/support/servers.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../support/servers.ts';

interface SmallRun<Result> {
  name: string;
  seed: number;
  /** A Redis of the run's own is among its settings' servers. */
  run(settings: RunSettings, redis: FaultyRedis): Promise<{ results: readonly Result[] }>;
  formatTable(results: readonly Result[]): string;
}

/** The small form of a run of test/faults, with the servers that other tests use too. Expects that nothing was violated. */
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
      ...{ seed, dir, say: (line) => void lines.push(line) },
    };
    const { results } = await run(settings, redis).finally(() => console.log(`seed ${seed}\n${lines.join('\n')}`));
    console.log(formatTable(results));
    expect(results.flatMap(({ violations }) => violations)).toEqual([]);
    return results;
  } finally {
    await redis.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
