import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { tablesOf } from './result.ts';
import { runFuzzing, scenarios } from './run.ts';

export const fuzzingRun: FaultRun<'requests' | 'records'> = {
  name: 'fuzzing',
  scenarios,
  hasCases: true,
  numbers: { requests: 250, records: 12 },
  processes: 'one of each service; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  startServers: () => startFaultyServers(),
  async run({ numbers, isWanted, onlyCase, settings }) {
    const wanted = scenarios.filter(isWanted);
    const result = await runFuzzing({ ...settings, ...numbers, onlyCase, scenarios: wanted, drainTimeoutMs: 180_000 });
    return { results: result.results, faults: [], tables: tablesOf(result) };
  },
};
