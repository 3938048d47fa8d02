import type { FaultRun } from '../support/fault-run.ts';
import { startFaultyServers } from '../support/servers.ts';
import { withPipeline } from '../support/with-pipeline.ts';
import { attacks } from './attacks/index.ts';
import { formatResult } from './result.ts';
import { runTenants, tenantsEnv } from './run.ts';

export const tenantsRun: FaultRun<
  'minutes' | 'turns' | 'neighbours' | 'posts-per-second' | 'percent' | 'spinners' | 'most-times' | 'slow-seconds'
> = {
  name: 'tenants',
  scenarios: attacks,
  numbers: {
    minutes: 10,
    turns: 3,
    neighbours: 20,
    // For each neighbour.
    'posts-per-second': 1,
    // A percentage of the attacks’ own numbers.
    percent: 100,
    // Threads that compute: beside so many, on two cores, the ingress waits for a processor for as long as beside the attack.
    spinners: 8,
    'most-times': 1.5,
    'slow-seconds': 55,
  },
  processes: 'the five services; Kafka (one broker, 3 partitions), Redis, Postgres, registry; the attacker',
  startServers: () => startFaultyServers(),
  async run({ numbers, isWanted, servers, settings }) {
    const {
      'posts-per-second': postsPerSecond,
      'most-times': mostTimes,
      percent,
      turns,
      neighbours,
      spinners,
    } = numbers;
    const result = await withPipeline({ ...settings, env: tenantsEnv }, (pipeline) =>
      runTenants({
        pipeline,
        attacks: attacks.filter(isWanted),
        neighbours,
        turns,
        postsPerSecond,
        percent,
        mostTimes,
        spinners,
        serverIds: servers.processIds,
        seconds: numbers.minutes * 60,
        slowMs: numbers['slow-seconds'] * 1_000,
        settleMs: 15_000,
        seed: settings.seed,
        say: settings.say,
      }),
    );
    const { phases, violations } = result;
    const accepted = phases.reduce((sum, { webhooks }) => sum + webhooks, 0);
    return {
      results: [{ scenario: 'tenants', accepted, phases, violations }],
      faults: [],
      tables: formatResult(result, attacks.filter(isWanted)),
    };
  },
};
