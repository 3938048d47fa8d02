import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { withPipeline } from '../support/with-pipeline.ts';
import { violationsOf } from './judge.ts';
import { replayServices, runReplays } from './run.ts';

const malformed = 20;
const timeoutMs = 300_000;

export const replayRun: FaultRun<'dead-letters' | 'rate'> = {
  name: 'replay',
  scenarios: [],
  numbers: { 'dead-letters': 10_000, rate: 500 },
  processes: 'dedup, two dispatchers, projector, api; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  startServers: () => startFaultyServers(),
  problemsOf: ({ 'dead-letters': deadLetters }) =>
    deadLetters >= 100 && deadLetters % 20 === 0 ? [] : ['--dead-letters must be 100 or more, in steps of 20'],
  async run({ numbers: { 'dead-letters': deadLetters, rate }, settings }) {
    const { result, faults } = await withPipeline({ ...settings, services: replayServices }, async (pipeline) => ({
      result: await runReplays({ pipeline, deadLetters, malformed, perSecond: rate, timeoutMs, say: settings.say }),
      faults: pipeline.faults,
    }));
    return {
      results: [{ scenario: 'replay', ...result, violations: violationsOf(result, { malformed }) }],
      faults,
      tables: [JSON.stringify(result, null, 2)],
    };
  },
};
