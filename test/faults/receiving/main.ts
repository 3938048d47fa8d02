/** The receiving fault runs, by hand: `make faults ARGS='--webhooks 100000 --seed 7 --scenario zombies,kafka-restarted'`. */
import { runByHand } from '../support/run-by-hand.ts';
import { formatTable } from './result.ts';
import { runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

await runByHand({
  command: 'make faults',
  name: 'receiving',
  scenarios,
  numbers: { webhooks: 100_000, turns: 4, 'away-scale': 1 },
  processes: 'ingress, two dedups, projector, api; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  async run({ numbers: { webhooks, turns, 'away-scale': awayScale }, seed, isWanted, servers, dir, say }) {
    const { results, faults } = await runScenarios({
      servers: servers.addresses,
      databaseUrl: servers.addresses.databaseUrl,
      topicPrefix: 'faults.',
      faulty: servers,
      scenarios: scenarios.filter(isWanted),
      webhooks,
      seed,
      turns,
      awayScale,
      dir,
      say,
    });
    return { results, faults, tables: [formatTable(results)] };
  },
});
