import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { prove } from './prove.ts';

export const proveRun: FaultRun<'webhooks'> = {
  name: 'prove',
  scenarios: [],
  numbers: { webhooks: 2_000 },
  processes: 'one of each service; Kafka (one broker, 3 partitions), Redis, Postgres, registry',
  startServers: () => startFaultyServers(),
  async run({ numbers: { webhooks }, servers, settings }) {
    const { sent, kills, lost, secondEvents, violations, faults, text } = await prove({
      ...settings,
      faulty: servers,
      webhooks,
    });
    return {
      results: [{ scenario: 'prove', violations, sent, kills, lost, secondEvents }],
      faults,
      tables: [text],
    };
  },
};
