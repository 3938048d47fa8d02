import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { withPipeline } from '../support/with-pipeline.ts';
import { overload } from './overload.ts';
import { formatResult } from './result.ts';

export const overloadRun: FaultRun<'seconds' | 'factor' | 'senders' | 'connections' | 'body-bytes' | 'tolerance-ms'> = {
  name: 'overload',
  scenarios: [],
  numbers: {
    // In the first minute or so V8's heaps still grow to the size at which they stay.
    seconds: 150,
    factor: 10,
    senders: 1,
    connections: 512,
    'body-bytes': 2_000,
    'tolerance-ms': 250,
  },
  processes: 'the five services; Kafka (one broker, 3 partitions), Redis, Postgres, registry; the senders',
  startServers: () => startFaultyServers(),
  async run({ numbers, settings }) {
    const { 'body-bytes': bodyBytes, 'tolerance-ms': toleranceMs, ...others } = numbers;
    const result = await withPipeline(settings, (pipeline) =>
      overload({ pipeline, ...others, bodyBytes, toleranceMs, memoryRule: 'flat', say: settings.say }),
    );
    return {
      results: [{ scenario: 'overload', violations: result.violations }],
      faults: [],
      tables: [formatResult(result)],
    };
  },
};
