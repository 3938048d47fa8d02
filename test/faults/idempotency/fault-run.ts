import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { formatTable } from './result.ts';
import { runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

export const idempotencyRun: FaultRun<'keys' | 'turns' | 'away-scale'> = {
  name: 'idempotency',
  scenarios,
  numbers: { keys: 10_000, turns: 6, 'away-scale': 1 },
  processes: 'two apis; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  startServers: () => startFaultyServers(),
  async run({ numbers: { keys, turns, 'away-scale': awayScale }, isWanted, servers, settings }) {
    const wanted = scenarios.filter(isWanted);
    const options = { ...settings, faulty: servers, scenarios: wanted, keys, turns, awayScale };
    const { results, faults } = await runScenarios(options);
    return { results, faults, tables: [formatTable(results)] };
  },
};
