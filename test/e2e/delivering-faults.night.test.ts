import { formatTable } from '../faults/delivering/result.ts';
import { runScenarios } from '../faults/delivering/run.ts';
import { killAtPoints, scenarios } from '../faults/delivering/scenarios.ts';
import { smallFaultRun } from './small-fault-run.ts';

/** All of them, again and again, and order run by hand: test/faults/delivering. */
const points = ['dispatcher.after-outcome'] as const;
const small = scenarios
  .filter(({ name }) => name === 'kills')
  .map((scenario) => ({
    ...scenario,
    acts: scenario.acts.map((act): typeof act => ({
      ...act,
      seconds: () => 15,
      inflict: (havoc) => killAtPoints(havoc, points, 1),
    })),
  }));

describe('deliveries to endpoints that fail in every way, while one of two dispatchers is killed', () => {
  it('end once each, as their endpoints give reason for, and come again only where a death explains it', async () => {
    const results = await smallFaultRun({
      name: 'delivering',
      seed: 91,
      run: (settings) => runScenarios({ ...settings, scenarios: small, deliveries: 1_000, turns: 1 }),
      formatTable,
    });
    expect(results).toMatchObject([{ kills: points.length, repeatsElsewhere: 0 }]);
  });
});
