import { formatTable } from '../faults/receiving/result.ts';
import { runScenarios } from '../faults/receiving/run.ts';
import { scenarios } from '../faults/receiving/scenarios.ts';
import { smallFaultRun } from './small-fault-run.ts';

const webhooks = 4_000;
/** Scenarios that need no server that others use too; the rest, and all of them for longer, run by hand: test/faults/receiving. */
const names = ['ingress-killed', 'zombies', 'redis-forgets', 'redis-hangs'];

describe('webhooks of which a fifth come again, while processes die and sleep, and Redis forgets and hangs', () => {
  it('become one event each: none is lost, none has a second id, none dies', async () => {
    const results = await smallFaultRun({
      name: 'receiving',
      seed: 72,
      run: (settings, redis) =>
        runScenarios({
          ...settings,
          faulty: { redis },
          scenarios: scenarios.filter(({ name }) => names.includes(name)),
          webhooks,
          turns: 1,
          awayScale: 0.1,
        }),
      formatTable,
    });
    expect(results.map(({ scenario }) => scenario)).toEqual([...names, 'all together']);
    const all = results.at(-1);
    expect(all).toMatchObject({ accepted: webhooks, lost: 0, secondIds: 0, deadLetters: 0 });
    // 6 and 2 of the ingress, 5 of the dedups.
    expect(all?.kills).toBe(13);
  });
});
