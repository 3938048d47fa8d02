import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { formatTable } from './result.ts';
import { runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

export const receivingRun: FaultRun<'webhooks' | 'turns' | 'away-scale'> = {
  name: 'receiving',
  scenarios,
  numbers: { webhooks: 100_000, turns: 4, 'away-scale': 1 },
  processes: 'ingress, two dedups, projector, api; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  startServers: () => startFaultyServers(),
  async run({ numbers: { webhooks, turns, 'away-scale': awayScale }, isWanted, servers, settings }) {
    const wanted = scenarios.filter(isWanted);
    const options = { ...settings, faulty: servers, scenarios: wanted, webhooks, turns, awayScale };
    const { results, faults } = await runScenarios(options);
    return { results, faults, tables: [formatTable(results)] };
  },
};
