import type { CrashPointName } from '#lib/runtime';
import type { ProcessName } from '../../support/pipeline.ts';
import type { Send } from '../checker/history.ts';
import type { Havoc } from '../support/havoc.ts';
import type * as support from '../support/scenario.ts';
import { kafkaRestarts, redisForgets } from '../support/store-outages.ts';

export const dedups = ['dedup', 'dedup-2'] as const satisfies readonly ProcessName[];

export type Scenario = support.Scenario<Havoc, readonly Send[]>;

const ingressPoints: readonly CrashPointName[] = ['ingress.before-produce', 'ingress.after-produce'];
const dedupPoints: readonly CrashPointName[] = [
  'dedup.after-claim',
  'dedup.after-insert',
  'publish.after-event',
  'dedup.after-publish',
  'dedup.before-commit',
];
/** Turns of webhooks and of batches: within the first few there is always one. */
const maxIngressTurn = 100;
const maxDedupTurn = 5;
/** Two workers at once, each at its share of the deaths: mostly the other one lives, now and then none. */
const dealt = <T>(items: readonly T[], hand: number): T[] => items.filter((_, index) => index % dedups.length === hand);

/** The ingress serves known sources whatever else is away; on a busy machine it sometimes sheds a webhook. */
const servedAllTheWhile: Scenario['expects'] = (sends) => {
  const refused = sends.filter(({ status }) => status === 503).length;
  return refused <= sends.length / 20 ? [] : [`${refused} of ${sends.length} requests were answered 503`];
};

export const scenarios: readonly Scenario[] = [
  {
    name: 'ingress-killed',
    says: 'kill -9 of the ingress: before the produce, after it, at any moment',
    share: 0.12,
    seconds: (turns) => 16 * turns,
    async inflict({ turns, kills, killAlong, kill, pause }) {
      // It is back within two seconds: there is time for many.
      await killAlong('ingress', kills(ingressPoints, 3 * turns, maxIngressTurn));
      for (let turn = 0; turn < 2 * turns; turn += 1) {
        await pause(300, 1_500);
        await kill('ingress');
      }
    },
  },
  {
    name: 'dedup-killed',
    says: 'kill -9 of both dedups: after the claim, the insert, the publish, before the commit, at any moment',
    share: 0.16,
    seconds: (turns) => 35 * turns,
    async inflict({ turns, kills, killAlong, kill, pause }) {
      const deaths = kills(dedupPoints, turns, maxDedupTurn);
      await Promise.all(dedups.map((name, hand) => killAlong(name, dealt(deaths, hand))));
      for (let turn = 1; turn < turns; turn += 2) {
        for (const name of dedups) {
          await pause(500, 3_000);
          await kill(name);
        }
      }
    },
  },
  {
    name: 'zombies',
    says: 'SIGSTOP of one dedup until the other has its partitions, then SIGCONT',
    share: 0.1,
    seconds: (turns) => 18 * turns,
    async inflict({ turns, outlive, pause }) {
      for (let turn = 0; turn < turns; turn += 1) {
        await pause(500, 2_000);
        await (turn % 2 === 0 ? outlive('dedup', 'dedup-2') : outlive('dedup-2', 'dedup'));
      }
    },
  },
  {
    name: 'redis-forgets',
    says: 'FLUSHALL at any moment and between a death of dedup and its restart; Redis killed and started empty',
    share: 0.12,
    seconds: (turns) => 25 * turns,
    async inflict(havoc) {
      const { turns, kills, killAlong, forget } = havoc;
      const deaths = kills(dedupPoints, Math.ceil(turns / 2), maxDedupTurn);
      const dying = Promise.all(dedups.map((name, hand) => killAlong(name, dealt(deaths, hand), forget)));
      await Promise.all([dying, redisForgets(havoc, 3 * turns, 3_000)]);
    },
  },
  {
    name: 'redis-stopped',
    says: 'Redis refuses connections for a minute',
    share: 0.1,
    seconds: () => 62,
    inflict: ({ away }) => away('redis', 'stopped', 60),
  },
  {
    name: 'redis-hangs',
    says: 'Redis takes connections and answers nothing for a minute',
    share: 0.1,
    seconds: () => 62,
    inflict: ({ away }) => away('redis', 'hanging', 60),
  },
  {
    name: 'postgres-stopped',
    says: 'Postgres refuses connections for two minutes',
    share: 0.12,
    seconds: () => 124,
    inflict: ({ away }) => away('postgres', 'stopped', 120),
    needs: 'postgres',
    expects: servedAllTheWhile,
  },
  {
    name: 'postgres-hangs',
    says: 'Postgres takes connections and answers nothing for 45 s',
    share: 0.08,
    seconds: () => 47,
    inflict: ({ away }) => away('postgres', 'hanging', 45),
    needs: 'postgres',
    expects: servedAllTheWhile,
  },
  {
    name: 'kafka-restarted',
    says: 'the broker stopped for 15 s, killed and started again, hanging for 10 s',
    share: 0.1,
    seconds: () => 75,
    async inflict(havoc) {
      await kafkaRestarts(havoc);
      await havoc.pause(3_000, 6_000);
      await havoc.away('kafka', 'hanging', 10);
    },
    needs: 'kafka',
    expects: (sends) => (sends.some(({ status }) => status === 503) ? [] : ['nobody was answered 503']),
  },
];
