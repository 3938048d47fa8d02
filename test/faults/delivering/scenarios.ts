import type { SourceSettings } from '#lib/contract';
import type { CrashPointName } from '#lib/runtime';
import type { ProcessName } from '../../support/pipeline.ts';
import type { Havoc } from '../support/havoc.ts';
import { orderedRoles, refusedForEver, type Role, roles } from './roles.ts';

export const dispatchers = ['dispatcher', 'dispatcher-2'] as const satisfies readonly ProcessName[];
/** It comes and goes. */
export const visitor: ProcessName = 'dispatcher-3';

/** It is over when all that was sent in it has ended. */
interface Act {
  name: string;
  /** The share of the scenario's events. */
  share: number;
  /** The time that the faults take, about; the webhooks are spread over it. */
  seconds(turns: number): number;
  inflict(havoc: Havoc): Promise<void>;
  /** How often an event is refused before it is accepted, for endpoints that read its content. */
  refusals(random: () => number, key: number): number;
}

export interface Scenario {
  name: string;
  /** A description for the report. */
  says: string;
  /** The share of the run's deliveries that this scenario sends. */
  share: number;
  source: SourceSettings;
  roles: readonly Role[];
  keys: number;
  acts: readonly Act[];
  /** Roles whose dead letters are replayed, all the while and at the end. */
  replays: string[];
  isOrdered: boolean;
}

/** How many passings a point has soon: of batches, deliveries, dead letters, or replays. */
const passings = {
  'fan-out.before-set': 5,
  'fan-out.between-chunks': 5,
  'fan-out.after-set': 5,
  'fan-out.after-deliveries': 5,
  'dispatcher.before-send': 100,
  'dispatcher.after-send': 100,
  'dispatcher.after-dead-letter': 1,
  'dispatcher.after-outcome': 100,
  'dispatcher.before-commit': 100,
  'replay.after-claim': 1,
  'replay.after-publish': 1,
} as const satisfies Partial<Record<CrashPointName, number>>;
const points = Object.keys(passings) as (keyof typeof passings)[];
const deliveringPoints = points.filter((point) => !point.startsWith('replay.'));

/** The dead one's session ends, the group finds itself together, the successor comes to its point. */
const secondsPerDeath = 16;

/** Two of them at once, each at its share of the deaths: mostly the other one lives, now and then none. */
const dealt = <T>(items: readonly T[], hand: number): T[] =>
  items.filter((_, index) => index % dispatchers.length === hand);

export async function killAtPoints(
  { kills, killAlong }: Pick<Havoc, 'kills' | 'killAlong'>,
  these: readonly (keyof typeof passings)[],
  times: number,
): Promise<void> {
  const deaths = kills(these, times, passings);
  const hands = dispatchers
    .map((name, hand) => ({ name, own: dealt(deaths, hand) }))
    .filter(({ own }) => own.length > 0);
  await Promise.all(hands.map(({ name, own }) => killAlong(name, own)));
}

async function killAtAnyMoment({ kill, pause }: Havoc, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    await pause(2_000, 15_000);
    await kill(dispatchers[turn % dispatchers.length] ?? 'dispatcher');
  }
}

const calmSeconds = 60;
const nothing = ({ pause }: Havoc): Promise<void> => pause(calmSeconds * 1_000, calmSeconds * 1_000);
const never = (): number => 0;

/** The first so many keys, in the act that shows that others are not held up. */
export const failingKeys = 20;

export const scenarios: readonly Scenario[] = [
  {
    name: 'kills',
    says: 'kill -9 of both dispatchers at each crash point of dispatcher, fan-out and replay, and at any moment',
    share: 1,
    source: {},
    roles,
    keys: 1,
    acts: [
      {
        name: 'kills',
        share: 1,
        seconds: (turns) => turns * ((points.length / dispatchers.length) * secondsPerDeath + 20),
        async inflict(havoc) {
          await killAtPoints(havoc, points, havoc.turns);
          await killAtAnyMoment(havoc, 2 * havoc.turns);
        },
        refusals: never,
      },
    ],
    replays: ['replayed'],
    isOrdered: false,
  },
  {
    name: 'order',
    says: 'ordered endpoints, heads that are refused, kills, a dispatcher that comes and goes, one that sleeps for 25 s',
    share: 0.8,
    source: { ordering_key: ['/key'] },
    roles: orderedRoles,
    keys: 200,
    acts: [
      { name: 'calm', share: 0.1, seconds: () => calmSeconds, inflict: nothing, refusals: never },
      {
        name: 'heads',
        share: 0.1,
        seconds: () => calmSeconds,
        inflict: nothing,
        refusals: (random, key) => (key < failingKeys && random() < 0.5 ? 1 + Math.floor(3 * random()) : 0),
      },
      {
        name: 'faults',
        share: 0.8,
        seconds: (turns) => turns * ((deliveringPoints.length / dispatchers.length) * secondsPerDeath + 20 + 120),
        async inflict(havoc) {
          const { turns, freeze, visit, pause } = havoc;
          for (let turn = 0; turn < turns; turn += 1) {
            await killAtPoints(havoc, deliveringPoints, 1);
            await killAtAnyMoment(havoc, 2);
            await visit(visitor, 15);
            await freeze(dispatchers[turn % dispatchers.length] ?? 'dispatcher', 25);
            await pause(5_000, 10_000);
            await Promise.all([freeze('dispatcher-2', 25), visit(visitor, 40)]);
          }
        },
        refusals(random) {
          const chance = random();
          if (chance < 0.02) return refusedForEver;
          return chance < 0.1 ? 1 + Math.floor(2 * random()) : 0;
        },
      },
    ],
    replays: [],
    isOrdered: true,
  },
];
