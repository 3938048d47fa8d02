import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTable } from '../faults/delivering/result.ts';
import { runScenarios } from '../faults/delivering/run.ts';
import { killAtPoints, scenarios } from '../faults/delivering/scenarios.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../support/servers.ts';

jest.setTimeout(300_000);

const seed = 91;
const deliveries = 1_000;
/** All of them, again and again, and order run by hand: test/faults/delivering. */
const points = ['dispatcher.after-outcome'] as const;

describe('deliveries to endpoints that fail in every way, while one of two dispatchers is killed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-faults-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('end once each, as their endpoints give reason for, and come again only where a death explains it', async () => {
    const lines: string[] = [];
    const run = runScenarios({
      servers: serverAddresses(),
      databaseUrl: await createDatabase(),
      topicPrefix: uniquePrefix('delivering'),
      scenarios: scenarios
        .filter(({ name }) => name === 'kills')
        .map((scenario) => ({
          ...scenario,
          acts: scenario.acts.map((act) => ({
            ...act,
            seconds: () => 15,
            inflict: (havoc) => killAtPoints(havoc, points, 1),
          })),
        })),
      deliveries,
      seed,
      turns: 1,
      dir,
      say: (line) => void lines.push(line),
    });
    const { results } = await run.finally(() => console.log(`seed ${seed}\n${lines.join('\n')}`));
    console.log(formatTable(results));

    expect(results.flatMap(({ violations }) => violations)).toEqual([]);
    expect(results).toMatchObject([{ kills: points.length, repeatsElsewhere: 0 }]);
  });
});
