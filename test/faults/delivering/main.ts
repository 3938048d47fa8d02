/** The delivering fault runs, by hand: `make faults-delivering ARGS='--deliveries 100000 --seed 7 --scenario kills,order'`. */
import { runByHand } from '../support/run-by-hand.ts';
import { formatKills, formatLatencies, formatTable } from './result.ts';
import { runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

await runByHand({
  command: 'make faults-delivering',
  name: 'delivering',
  scenarios,
  numbers: { deliveries: 100_000, turns: 3 },
  processes:
    'ingress, dedup, two dispatchers, projector, api; Kafka (one broker, 6 partitions), Redis, Postgres, registry',
  async run({ numbers: { deliveries, turns }, seed, isWanted, servers, dir, say }) {
    const { results, faults } = await runScenarios({
      servers: servers.addresses,
      databaseUrl: servers.addresses.databaseUrl,
      topicPrefix: 'faults.',
      scenarios: scenarios.filter(isWanted),
      deliveries,
      seed,
      turns,
      dir,
      say,
    });
    return {
      results,
      faults,
      tables: [formatTable(results), formatKills(faults), results.flatMap(formatLatencies).join('\n')],
    };
  },
});
