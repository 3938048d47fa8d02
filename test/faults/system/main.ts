/** The system fault runs, by hand: `npm run -s faults-system -- --webhooks 20000 --minutes 2 --seed 7 --scenario broker-killed,dedup-sleeps`. */
import { runByHandOn } from '../support/run-by-hand.ts';
import { faultKinds } from './fault-kinds.ts';
import { formatKinds, formatPollers, formatResult } from './result.ts';
import { runSystem } from './run.ts';
import { startSystemServers } from './servers.ts';

await runByHandOn(startSystemServers, {
  command: 'make faults-system',
  name: 'system',
  scenarios: faultKinds,
  numbers: { webhooks: 20_000, minutes: 2, 'calm-seconds': 2 },
  processes:
    'two of each of ingress, dedup, dispatcher, projector, api; Kafka (three brokers, 6 partitions), Redis, Postgres, registry',
  async run({ numbers: { webhooks, minutes, 'calm-seconds': calmSeconds }, seed, isWanted, servers, dir, say }) {
    const { result, faults } = await runSystem({
      servers,
      kinds: faultKinds.filter(isWanted),
      webhooks,
      minutes,
      calmMs: calmSeconds * 1_000,
      seed,
      dir,
      say,
    });
    return {
      results: [{ scenario: 'system', ...result }],
      faults,
      tables: [formatResult(result), formatPollers(result.pollers), formatKinds(result.kinds)],
    };
  },
});
