import { violationsOf } from '../faults/replay/judge.ts';
import { replayServices, runReplays } from '../faults/replay/run.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

let pipeline: OwnPipeline;
beforeAll(async () => {
  pipeline = await startOwnPipeline({ services: replayServices });
});
afterAll(() => pipeline.close());

/** The small form of test/faults/replay. */
test('dead letters are replayed once each, by dispatchers that die and operators who ask at once, and all adds up', async () => {
  await pipeline.explain(async () => {
    const malformed = 5;
    const options = { deadLetters: 400, malformed, perSecond: 100, timeoutMs: 60_000, say: () => undefined };
    const result = await runReplays({ pipeline, ...options });
    console.log(JSON.stringify(result));
    expect(violationsOf(result, { malformed })).toEqual([]);
    expect(result.killed.kills).toBe(2);
  });
});
