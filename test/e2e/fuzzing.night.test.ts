import { tablesOf } from '../faults/fuzzing/result.ts';
import { type FuzzingResult, runFuzzing, scenarios } from '../faults/fuzzing/run.ts';
import { smallFaultRun } from './small-fault-run.ts';

/** The small form of test/faults/fuzzing. */
test('whatever is sent to a route gets an answer, and whatever stands on a topic is processed or a dead letter', async () => {
  let fuzzed: FuzzingResult | undefined;
  const results = await smallFaultRun({
    name: 'fuzzing',
    seed: 1,
    run: async (settings) =>
      (fuzzed = await runFuzzing({ ...settings, scenarios, requests: 30, records: 1, drainTimeoutMs: 60_000 })),
    formatTable: () => (fuzzed === undefined ? '' : tablesOf(fuzzed).join('\n\n')),
  });
  expect(results.map(({ scenario }) => scenario)).toEqual(['http', 'topics']);
});
