import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTable } from '../faults/receiving/result.ts';
import { runScenarios } from '../faults/receiving/run.ts';
import { scenarios } from '../faults/receiving/scenarios.ts';
import { type FaultyRedis, startFaultyRedis } from '../faults/support/servers.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../support/servers.ts';

jest.setTimeout(300_000);

const seed = 72;
const webhooks = 4_000;
/** Those that need no server that others use too; the rest, and all of them for longer, run by hand: test/faults/receiving. */
const names = ['ingress-killed', 'zombies', 'redis-forgets', 'redis-hangs'];
const awayScale = 0.1;

describe('webhooks of which a fifth come again, while processes die and sleep, and Redis forgets and hangs', () => {
  let redis: FaultyRedis;
  const dir = mkdtempSync(join(tmpdir(), 'hookline-faults-'));
  beforeAll(async () => {
    redis = await startFaultyRedis();
  });
  afterAll(async () => {
    await redis?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('become one event each: none is lost, none has a second id, none dies', async () => {
    const lines: string[] = [];
    const run = runScenarios({
      servers: { ...serverAddresses(), redisUrl: redis.url },
      databaseUrl: await createDatabase(),
      topicPrefix: uniquePrefix('faults'),
      faulty: { redis },
      scenarios: scenarios.filter(({ name }) => names.includes(name)),
      webhooks,
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
    expect(all).toMatchObject({ accepted: webhooks, lost: 0, secondIds: 0, deadLetters: 0 });
    // 6 and 2 of the ingress, 4 of the dedups.
    expect(all?.kills).toBe(12);
  });
});
