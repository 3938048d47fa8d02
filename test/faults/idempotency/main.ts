/** Idempotent requests under kills, by hand: `npm run -s idempotency-run -- --keys 10000 --seed 7 --scenario killed,stopped`. */
import { runByHand } from '../support/run-by-hand.ts';
import { formatTable } from './result.ts';
import { runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

await runByHand({
  command: 'make idempotency-run',
  name: 'idempotency',
  scenarios,
  numbers: { keys: 10_000, turns: 6, 'away-scale': 1 },
  processes: 'two apis; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  async run({ numbers: { keys, turns, 'away-scale': awayScale }, seed, isWanted, servers, dir, say }) {
    const { results, faults } = await runScenarios({
      servers: servers.addresses,
      databaseUrl: servers.addresses.databaseUrl,
      topicPrefix: 'faults.',
      faulty: servers,
      scenarios: scenarios.filter(isWanted),
      keys,
      seed,
      turns,
      awayScale,
      dir,
      say,
    });
    return { results, faults, tables: [formatTable(results)] };
  },
});
