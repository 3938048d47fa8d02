import { byFilterServices, byFilterViolations, runByFilter } from '../faults/replay/by-filter.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

let pipeline: OwnPipeline;
beforeAll(async () => {
  pipeline = await startOwnPipeline({ services: byFilterServices });
});
afterAll(() => pipeline.close());

/** The small form of the scenario `by-filter` of test/faults/replay. */
test('events are replayed by filter once each, by dispatchers that die and operators who ask at once, and all adds up', async () => {
  await pipeline.explain(async () => {
    const result = await runByFilter({
      pipeline,
      events: 1_500,
      perSecond: 250,
      timeoutMs: 120_000,
      say: () => undefined,
    });
    console.log(JSON.stringify(result));
    expect(byFilterViolations(result)).toEqual([]);
  });
});
