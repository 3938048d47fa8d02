/** Services that die, sleep, come and go, and are restarted one by one. */
import type { CrashPointName } from '#lib/runtime';
import { type ProcessName, serviceOf } from '../../../support/pipeline.ts';
import { type PipelineService, pipelineServices } from '../../../support/stack.ts';
import { type FaultKind, type FaultWorld, oneOf } from '../fault-kind.ts';

/** Each service twice. */
export const processNames: readonly ProcessName[] = pipelineServices.flatMap((name) => [name, `${name}-2`] as const);
/** They come and go. */
export const visitors = ['dedup-3', 'dispatcher-3', 'projector-3'] as const satisfies readonly ProcessName[];

/** How many passings a point has soon: of webhooks, requests, batches, deliveries, dead letters or replays. */
const passings = {
  'ingress.before-produce': 100,
  'ingress.after-produce': 100,
  'dedup.after-claim': 5,
  'dedup.after-insert': 5,
  'dedup.after-publish': 5,
  'dedup.before-commit': 5,
  'publish.after-event': 5,
  'fan-out.before-set': 5,
  'fan-out.between-chunks': 5,
  'fan-out.after-set': 5,
  'fan-out.after-deliveries': 5,
  'dispatcher.before-send': 200,
  'dispatcher.after-send': 200,
  'dispatcher.after-dead-letter': 1,
  'dispatcher.after-outcome': 200,
  'dispatcher.before-commit': 200,
  'announcing.after-claim': 1,
  'announcing.after-publish': 1,
  'replay.after-claim': 1,
  'replay.after-publish': 1,
  'idempotency.after-row': 5,
  'idempotency.after-effect': 5,
  'idempotency.before-commit': 5,
  'idempotency.after-commit': 5,
  'idempotency-group.after-keys': 5,
  'idempotency-group.after-effects': 5,
  'idempotency-group.before-commit': 5,
  'idempotency-group.after-commit': 5,
  'outbox.before-send': 5,
  'outbox.after-claim': 2,
  'outbox.after-publish': 2,
  'projector.before-transaction': 5,
  'projector.after-ahead': 5,
  'projector.after-transaction': 5,
  'erasure.after-mark': 1,
  'erasure.after-removal': 1,
  'erasure.before-completion': 1,
} as const satisfies Record<CrashPointName, number>;

const parts: Readonly<Record<PipelineService, readonly string[]>> = {
  ingress: ['ingress'],
  dedup: ['dedup', 'publish'],
  // Nothing is announced here: test/integration/dispatcher/announcing.test.ts kills there.
  dispatcher: ['dispatcher', 'fan-out', 'replay'],
  projector: ['projector'],
  // Requests that run alone under their key die in the run of idempotent requests: here events alone have keys. Nobody erases either:
  // test/integration/erasure.
  api: ['idempotency-group', 'outbox'],
};
const pointsOf = (service: PipelineService): CrashPointName[] =>
  (Object.keys(passings) as CrashPointName[]).filter((point) => parts[service].includes(point.split('.')[0] ?? ''));

export const processesOf = (service: PipelineService): ProcessName[] =>
  processNames.filter((name) => serviceOf(name) === service);

/** Longer than a member's session, which is 10 s, and much longer than the locks of waiting requests. */
const sleepSeconds = { least: 13, most: 16 };
const stayMs = { least: 3_000, most: 6_000 };
const stormTurns = 3;

const kindsOf = (service: PipelineService): FaultKind[] => [
  {
    name: `${service}-dies-at-points`,
    says: `kill -9 of both at each of ${pointsOf(service).join(', ')}`,
    track: service,
    async inflict({ havoc }) {
      const deaths = havoc.kills(pointsOf(service), 1, passings);
      // Two at once, each at its share: mostly the other one lives, now and then none.
      await Promise.all(
        processesOf(service).map((name, hand) =>
          havoc.killAlong(
            name,
            deaths.filter((_, index) => index % 2 === hand),
          ),
        ),
      );
    },
  },
  {
    name: `${service}-killed`,
    says: 'kill -9 of each, at any moment',
    track: service,
    async inflict({ havoc, pause }) {
      for (const name of processesOf(service)) {
        await havoc.kill(name);
        await pause(500, 2_000);
      }
    },
  },
  {
    name: `${service}-sleeps`,
    says: `SIGSTOP of one for ${sleepSeconds.least} to ${sleepSeconds.most} s, then SIGCONT`,
    track: service,
    async inflict({ havoc, random }) {
      const { least, most } = sleepSeconds;
      await havoc.freeze(oneOf(processesOf(service), random), least + random() * (most - least));
    },
  },
];

/** One more member joins its group, stays for a while, and leaves; other faults may keep it from leaving in order. */
const visit = ({ pipeline, during, pause }: FaultWorld, name: ProcessName, leastMs: number, mostMs: number) =>
  during(
    `${name} joins and leaves`,
    async () => {
      await pipeline.startService(name);
      await pause(leastMs, mostMs);
      await pipeline.stopService(name);
    },
    serviceOf(name),
  );

/** Members join and leave, so that each group rebalances again and again. */
async function rebalance(world: FaultWorld): Promise<void> {
  for (const name of visitors) {
    await visit(world, name, stayMs.least, stayMs.most);
    await world.pause(100, 1_000);
  }
}

/** All groups at once, and each again before it has found itself together. */
async function storm(world: FaultWorld): Promise<void> {
  await Promise.all(
    visitors.map(async (name) => {
      for (let turn = 0; turn < stormTurns; turn += 1) await visit(world, name, 0, 1_500);
    }),
  );
}

export const processFaults: readonly FaultKind[] = [
  ...pipelineServices.flatMap(kindsOf),
  {
    name: 'rebalances',
    says: 'a third dedup, dispatcher and projector come, and go in order',
    track: 'groups',
    inflict: rebalance,
  },
  {
    name: 'rebalance-storm',
    says: `a third dedup, dispatcher and projector at once, each ${stormTurns} times, for 1.5 s at the most`,
    track: 'groups',
    inflict: storm,
  },
  {
    name: 'rolling-restart',
    says: 'SIGTERM of every process and its start anew; of each service one after the other, of all services at the same time',
    track: 'groups',
    async inflict({ pipeline }) {
      const roll = async (service: PipelineService): Promise<void> => {
        for (const name of processesOf(service)) await pipeline.restartService(name);
      };
      await Promise.all(pipelineServices.map(roll));
    },
  },
];
