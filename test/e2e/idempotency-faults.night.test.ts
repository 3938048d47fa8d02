import { formatTable } from '../faults/idempotency/result.ts';
import { runScenarios } from '../faults/idempotency/run.ts';
import { crashPoints, scenarios } from '../faults/idempotency/scenarios.ts';
import { smallFaultRun } from './small-fault-run.ts';

const keys = 400;
/** Scenarios that need no server that others use too; the rest, and all of them for longer, run by hand: test/faults/idempotency. */
const names = ['killed', 'stopped', 'redis-forgets', 'connections-cut'];

describe('requests with a key, each sent several times to two processes that die and sleep, while Redis forgets', () => {
  it('are carried out once each, answered the same each time, and what they publish is on its topic', async () => {
    const results = await smallFaultRun({
      name: 'idempotency',
      seed: 6,
      run: (settings, redis) =>
        runScenarios({
          ...settings,
          faulty: { redis },
          scenarios: scenarios.filter(({ name }) => names.includes(name)),
          keys,
          turns: 1,
          awayScale: 0.1,
        }),
      formatTable,
    });
    expect(results.map(({ scenario }) => scenario)).toEqual([...names, 'all together']);
    const all = results.at(-1);
    expect(all?.events).toBe(keys - (all?.endpoints ?? 0) - (all?.refused ?? 0));
    // Each point once, and each process once more.
    expect(all?.kills).toBe(crashPoints.length + 2);
    expect(all?.leasesLost).toBeGreaterThan(0);
  });
});
