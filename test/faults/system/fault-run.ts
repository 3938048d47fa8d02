import type { FaultReport, FaultRun } from '../support/fault-run.ts';
import { faultKinds } from './fault-kinds.ts';
import { judge } from './judge.ts';
import { formatKinds, formatPollers, formatResult } from './result.ts';
import { runSystem } from './run.ts';
import { readSeen, type Seen } from './seen.ts';
import { startSystemServers, type SystemServers } from './servers.ts';

export const systemRun: FaultRun<'webhooks' | 'minutes' | 'calm-seconds', SystemServers> = {
  name: 'system',
  scenarios: faultKinds,
  numbers: { webhooks: 20_000, minutes: 2, 'calm-seconds': 2 },
  processes:
    'two of each of ingress, dedup, dispatcher, projector, api; Kafka (three brokers, 6 partitions), Redis, Postgres, registry',
  startServers: startSystemServers,
  async run({ numbers: { webhooks, minutes, 'calm-seconds': calmSeconds }, isWanted, servers, settings }) {
    const { seed, dir, say, processes } = settings;
    const seen = await runSystem({
      servers,
      processes,
      seed,
      dir,
      say,
      webhooks,
      minutes,
      kinds: faultKinds.filter(isWanted),
      calmMs: calmSeconds * 1_000,
    });
    return report(seen);
  },
  judge: (dir) => report(readSeen(dir)),
};

function report(seen: Seen): FaultReport {
  const result = judge(seen);
  return {
    results: [{ scenario: 'system', ...result }],
    faults: seen.history.faults,
    tables: [formatResult(result), formatPollers(result.pollers), formatKinds(result.kinds)],
  };
}
