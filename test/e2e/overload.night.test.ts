import { overload } from '../faults/overload/overload.ts';
import { formatResult } from '../faults/overload/result.ts';
import { quantile } from '../support/load/latencies.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

let pipeline: OwnPipeline;
beforeAll(async () => {
  pipeline = await startOwnPipeline({ services: ['ingress', 'api'] });
});
afterAll(() => pipeline.close());

/** The small form of test/faults/overload, without its time limits: those need a machine of their own. */
test('of ten times what the ingress can take, every 2xx is on the topic, and the others are told to come again', async () => {
  await pipeline.explain(async () => {
    const result = await overload({
      pipeline,
      factor: 10,
      seconds: 15,
      senders: 1,
      connections: 500,
      bodyBytes: 2_000,
      // A sender waits 15 s in all, so this judges no answer; the one limit of time stands below.
      toleranceMs: 13_000,
      // The containers' limit (deploy/k8s/base/services). Whether it stays flat is seen in minutes alone.
      memoryRule: { mostMib: 1_024 },
      say: () => undefined,
    });
    console.log(formatResult(result));
    expect(result.violations).toEqual([]);
    // On a busy machine a few of some thousand answers came after 13 s. An ingress at fault delays more than one in a hundred.
    expect(quantile(result.load.latencies, 0.99)).toBeLessThan(12_000);
    // It was an overload. What the ingress can take was measured just before: a busy machine shows less then than during the load.
    expect(result.load.held + (result.load.answers['503'] ?? 0)).toBeGreaterThan(result.load.due / 10);
  });
});
