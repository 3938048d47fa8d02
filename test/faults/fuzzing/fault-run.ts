import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { tablesOf } from './result.ts';
import { runFuzzing, scenarios } from './run.ts';

const drainTimeoutMs = 180_000;

export const fuzzingRun: FaultRun<'requests' | 'records'> = {
  name: 'fuzzing',
  scenarios,
  numbers: { requests: 250, records: 12 },
  processes: 'one of each service; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  startServers: () => startFaultyServers(),
  async run({ numbers: { requests, records }, isWanted, settings }) {
    const wanted = scenarios.filter(isWanted);
    const result = await runFuzzing({ ...settings, scenarios: wanted, requests, records, drainTimeoutMs });
    return { results: result.results, faults: [], tables: tablesOf(result) };
  },
};
