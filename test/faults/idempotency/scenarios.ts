import { claimSeconds } from '../../../services/api/outbox/outbox-table.ts';
import type { CrashPointName } from '#lib/runtime';
import type { Havoc } from '../support/havoc.ts';
import type * as support from '../support/scenario.ts';
import { kafkaRestarts, redisForgets } from '../support/store-outages.ts';
import { type DatabaseHavoc, keysHeldUp } from './database-havoc.ts';
import { apis } from './history.ts';
import type { Totals } from './result.ts';

export interface Scenario extends support.Scenario<Havoc & DatabaseHavoc, Totals> {
  /** Endpoints that the faults themselves ask for. */
  ownEndpoints?(turns: number): number;
}

export const crashPoints = [
  'idempotency.after-row',
  'idempotency.after-effect',
  'idempotency.before-commit',
  'idempotency.after-commit',
  'idempotency-group.after-keys',
  'idempotency-group.after-effects',
  'idempotency-group.before-commit',
  'idempotency-group.after-commit',
  'outbox.before-send',
  'outbox.after-claim',
  'outbox.after-publish',
] as const satisfies readonly CrashPointName[];

/**
 * Each is passed once a key that runs by itself, once a group of events, once a removal, or once a claim: of events behind another of their key,
 * and of what the dead leave. All turns together need fewer than the smallest run has, or it waits for a death that never comes.
 */
const maxTurns = {
  'idempotency.after-row': 5,
  'idempotency.after-effect': 5,
  'idempotency.before-commit': 5,
  'idempotency.after-commit': 5,
  'idempotency-group.after-keys': 3,
  'idempotency-group.after-effects': 3,
  'idempotency-group.before-commit': 3,
  'idempotency-group.after-commit': 3,
  'outbox.before-send': 3,
  'outbox.after-claim': 2,
  'outbox.after-publish': 3,
};

export const lockSeconds = 2;
/**
 * Longer than the lock: an owner wakes up with its statement's result, and finds its lease expired. Longer than the five seconds for which
 * a transaction with its tenant's clock may be idle; the running statement has timed out by then too. Longer than its claims in the outbox.
 */
const sleeps = [
  { seconds: 4, where: ['endpoints'] },
  { seconds: 8, where: ['endpoints', 'tenant_clocks'] },
] as const;
const longSleep = { seconds: claimSeconds + 5, where: sleeps[1].where };

const wasUnavailable = ({ unavailable }: Totals): string[] => (unavailable > 0 ? [] : ['nobody was answered 503']);

export const scenarios: readonly Scenario[] = [
  {
    name: 'killed',
    says: 'kill -9 of both at each point between the row and the answer, and between the claim and the removal, and at any moment',
    share: 0.3,
    seconds: (turns) => 14 * turns,
    async inflict({ turns, kills, killAlong, kill, pause, random, forget }) {
      const deaths = kills(crashPoints, turns, maxTurns);
      const meanwhile = async (): Promise<void> => void (random() < 0.5 && (await forget()));
      await Promise.all(
        apis.map((name, hand) =>
          killAlong(
            name,
            deaths.filter((_, index) => index % apis.length === hand),
            meanwhile,
          ),
        ),
      );
      for (let turn = 0; turn < turns; turn += 1) {
        const dying = apis.map(async (name) => {
          await pause(200, 1_500);
          await kill(name);
        });
        await Promise.all(dying);
      }
    },
    expects: ({ fresh, events, endpoints, refused }) =>
      // An owner that died after COMMIT never told: its keys have replays alone.
      fresh < events + endpoints + refused ? [] : ['each key has a fresh answer: nobody died after a commit'],
  },
  {
    name: 'stopped',
    says: 'SIGSTOP of one in the middle of its transactions, past their leases, and past the claims of its outbox',
    share: 0.2,
    seconds: (turns) => 14 * turns + (turns > 1 ? longSleep.seconds : 0),
    ownEndpoints: (turns) => (sleeps.length * turns + 1) * keysHeldUp * apis.length,
    async inflict({ turns, stopOwner, pause }) {
      for (let turn = 0; turn < turns; turn += 1) {
        for (const [index, { seconds, where }] of sleeps.entries()) {
          await pause(200, 1_000);
          await stopOwner(apis[(turn + index) % apis.length] ?? 'api', seconds, where);
        }
      }
      if (turns > 1) await stopOwner('api', longSleep.seconds, longSleep.where);
    },
  },
  {
    name: 'redis-forgets',
    says: 'FLUSHALL at any moment, Redis killed and started empty, stopped and hanging for 5 s',
    share: 0.2,
    seconds: (turns) => 5 * turns + 10,
    async inflict(havoc) {
      await redisForgets(havoc, 3 * havoc.turns, 2_000);
      await havoc.away('redis', 'stopped', 5);
      await havoc.away('redis', 'hanging', 5);
    },
  },
  {
    name: 'connections-cut',
    says: 'Postgres ends a third of the connections of both that are in the middle of something, again and again',
    share: 0.2,
    seconds: (turns) => 5 * turns,
    async inflict({ turns, cutConnections, pause }) {
      for (let turn = 0; turn < 12 * turns; turn += 1) {
        await pause(100, 700);
        await cutConnections(1 / 3);
      }
    },
    expects: wasUnavailable,
  },
  {
    name: 'postgres-away',
    says: 'Postgres restarted, and hanging for 8 s',
    share: 0.05,
    seconds: () => 16,
    async inflict({ away, pause }) {
      await pause(1_000, 2_000);
      await away('postgres', 'stopped', 1);
      await pause(1_000, 3_000);
      await away('postgres', 'hanging', 8);
    },
    needs: 'postgres',
    expects: wasUnavailable,
  },
  {
    name: 'kafka-away',
    says: 'the broker stopped for 15 s, killed and started again',
    share: 0.05,
    seconds: () => 35,
    inflict: kafkaRestarts,
    needs: 'kafka',
    expects: ({ unavailable }) => (unavailable === 0 ? [] : [`${unavailable} × 503, though no request needs Kafka`]),
  },
];
