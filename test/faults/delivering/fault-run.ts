import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { formatKills, formatLatencies, formatTable } from './result.ts';
import { runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

export const deliveringRun: FaultRun<'deliveries' | 'turns'> = {
  name: 'delivering',
  scenarios,
  numbers: { deliveries: 100_000, turns: 3 },
  processes:
    'ingress, dedup, two dispatchers, projector, api; Kafka (one broker, 6 partitions), Redis, Postgres, registry',
  startServers: () => startFaultyServers(),
  async run({ numbers: { deliveries, turns }, isWanted, settings }) {
    const options = { ...settings, scenarios: scenarios.filter(isWanted), deliveries, turns };
    const { results, faults } = await runScenarios(options);
    return {
      results,
      faults,
      tables: [formatTable(results), formatKills(faults), results.flatMap(formatLatencies).join('\n')],
    };
  },
};
