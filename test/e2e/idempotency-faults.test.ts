import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTable } from '../faults/idempotency/result.ts';
import { runScenarios } from '../faults/idempotency/run.ts';
import { crashPoints, scenarios } from '../faults/idempotency/scenarios.ts';
import { type FaultyRedis, startFaultyRedis } from '../faults/support/servers.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../support/servers.ts';

jest.setTimeout(300_000);

const seed = 6;
const keys = 400;
/** Those that need no server that others use too; the rest, and all of them for longer, run by hand: test/faults/idempotency. */
const names = ['killed', 'stopped', 'redis-forgets', 'connections-cut'];
const awayScale = 0.1;

describe('requests with a key, each sent several times to two processes that die and sleep, while Redis forgets', () => {
  let redis: FaultyRedis;
  const dir = mkdtempSync(join(tmpdir(), 'hookline-faults-'));
  beforeAll(async () => {
    redis = await startFaultyRedis();
  });
  afterAll(async () => {
    await redis?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('are carried out once each, answered the same each time, and what they publish is on its topic', async () => {
    const lines: string[] = [];
    const run = runScenarios({
      servers: { ...serverAddresses(), redisUrl: redis.url },
      databaseUrl: await createDatabase(),
      topicPrefix: uniquePrefix('faults'),
      faulty: { redis },
      scenarios: scenarios.filter(({ name }) => names.includes(name)),
      keys,
      seed,
      turns: 1,
      awayScale,
      dir,
      say: (line) => void lines.push(line),
    });
    const { results } = await run.finally(() => console.log(`seed ${seed}\n${lines.join('\n')}`));
    console.log(formatTable(results));

    expect(results.map(({ scenario }) => scenario)).toEqual([...names, 'all together']);
    expect(results.flatMap(({ violations }) => violations)).toEqual([]);
    const all = results.at(-1);
    expect(all?.events).toBe(keys - (all?.endpoints ?? 0) - (all?.refused ?? 0));
    // Each point once, and each process once more.
    expect(all?.kills).toBe(crashPoints.length + 2);
    expect(all?.leasesLost).toBeGreaterThan(0);
  });
});
