/** The endpoints of a run by what is wrong with them, and how a receiver behaves that is so. */
import type { EndpointSettings } from '#lib/contract';
import type { ReceivedRequest, Reaction } from '../../support/receiver.ts';
import type { Payload } from './webhooks.ts';

export interface Role {
  name: string;
  /** Endpoints of it. */
  count: number;
  settings: EndpointSettings;
  react(request: Asked): Reaction;
  /**
   * How its deliveries may end; the first is what most of them must come to. `replayed`: dead-lettered, and delivered when an operator
   * replays the dead letter.
   */
  ends: readonly ('delivered' | 'dead_lettered' | 'replayed')[];
}

interface Asked {
  payload: Payload;
  /** Requests of this event that this endpoint had before. */
  seen: number;
  /** Requests that this endpoint had before, of all events. */
  had: number;
  /** Events of the run. */
  events: number;
  nowMs: number;
  random: () => number;
}

const well: Reaction = { status: 200 };
const refused: Reaction = { status: 500 };
const isDown = ({ nowMs }: Asked): boolean => Math.floor(nowMs / flapMs) % 2 === 1;
const flapMs = 20_000;
/** A machine that is busy is no receiver that is slow. */
const timeout_ms = 10_000;
/** A window that no delivery of the run reaches. */
const retry = { base_seconds: 0.5, cap_seconds: 3, window_seconds: 3_600 };
const hangTimeoutMs = 1_500;
/** How much of all events the endpoint that goes takes before it does. */
const takenBeforeGone = 0.4;

export const roles: readonly Role[] = [
  { name: 'healthy', count: 3, settings: { timeout_ms, retry }, react: () => well, ends: ['delivered'] },
  {
    name: 'fails-30%',
    count: 3,
    settings: { timeout_ms, retry },
    react: ({ random }) => (random() < 0.3 ? refused : well),
    ends: ['delivered'],
  },
  {
    name: 'slow',
    count: 2,
    settings: { timeout_ms, retry, max_in_flight: 40 },
    react: ({ random }) => ({ status: 200, delayMs: 200 + 600 * random() }),
    ends: ['delivered'],
  },
  {
    // Half of them hang for ever, half answer too late: those have accepted what counts as not delivered.
    name: 'hangs',
    count: 2,
    settings: { timeout_ms: hangTimeoutMs, retry },
    react({ random }) {
      const chance = random();
      if (chance < 0.01) return 'hang';
      return chance < 0.02 ? { status: 200, delayMs: hangTimeoutMs * 2 } : well;
    },
    ends: ['delivered'],
  },
  {
    name: 'flaps',
    count: 3,
    settings: { timeout_ms, retry },
    react: (asked) => (isDown(asked) ? 'reset' : well),
    ends: ['delivered'],
  },
  {
    name: 'limits',
    count: 2,
    settings: { timeout_ms, retry },
    react: ({ random }) => (random() < 0.03 ? { status: 429, headers: { 'retry-after': '1' } } : well),
    ends: ['delivered'],
  },
  {
    name: 'goes',
    count: 1,
    settings: { timeout_ms, retry },
    react: ({ had, events }) => (had < takenBeforeGone * events ? well : { status: 410 }),
    ends: ['dead_lettered', 'delivered'],
  },
  {
    name: 'fails-for-ever',
    count: 1,
    settings: { timeout_ms, retry: { base_seconds: 0.5, cap_seconds: 2, window_seconds: 15 } },
    react: () => refused,
    ends: ['dead_lettered'],
  },
  {
    // Every second event dies of it, by an answer that judges the event: its breaker stays closed when only such ones are left. More than
    // one, so that both dispatchers have dead letters to write.
    name: 'replayed',
    count: 3,
    settings: { timeout_ms, retry: { base_seconds: 0.2, cap_seconds: 0.5, max_attempts: 2 } },
    react: ({ payload, seen }) => (payload.number % 2 === 0 && seen < 2 ? { status: 422 } : well),
    ends: ['delivered', 'replayed'],
  },
];

/** Endpoints that get the events of a key in their order. A payload says how often it is refused before it is taken. */
const refusing = (asked: Asked, otherwise: Reaction): Reaction =>
  asked.seen < asked.payload.refuse ? refused : otherwise;
const ordered = { ordered: true, timeout_ms, max_in_flight: 50 };

/** Refusals by a payload that is refused for ever, at an endpoint that gives up on it. */
export const refusedForEver = 1_000;

export const orderedRoles: readonly Role[] = [
  {
    name: 'steady',
    count: 2,
    settings: { ...ordered, retry: { base_seconds: 1, cap_seconds: 3, max_attempts: 5 } },
    react: (asked) => refusing(asked, well),
    ends: ['delivered', 'dead_lettered'],
  },
  {
    name: 'flapping',
    count: 1,
    settings: { ...ordered, retry: { ...retry, window_seconds: 60 } },
    react: (asked) => (isDown(asked) ? 'reset' : refusing(asked, well)),
    ends: ['delivered', 'dead_lettered'],
  },
  {
    name: 'slow',
    count: 1,
    settings: { ...ordered, retry: { base_seconds: 1, cap_seconds: 3, max_attempts: 5 } },
    react: (asked) => refusing(asked, { status: 200, delayMs: 250 }),
    ends: ['delivered', 'dead_lettered'],
  },
];

/** Tells what each endpoint does with a request, by its name: the role's, a dash, a number. */
export function createReactions(
  cast: readonly Role[],
  events: number,
  random: () => number,
): (request: Pick<ReceivedRequest, 'name' | 'eventId' | 'body'>) => Reaction {
  const seen = new Map<string, number>();
  const countUp = (key: string): number => {
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return before;
  };
  return ({ name, eventId, body }) => {
    const role = cast.find((each) => roleOf(name) === each.name);
    if (role === undefined) throw new Error(`no endpoint is called ${name}`);
    return role.react({
      payload: JSON.parse(body.toString()) as Payload,
      seen: countUp(`${name} ${eventId}`),
      had: countUp(name),
      events,
      nowMs: Date.now(),
      random,
    });
  };
}

export const namesOf = ({ name, count }: Role): string[] =>
  Array.from({ length: count }, (_, number) => `${name}-${number}`);

export const roleOf = (endpointName: string): string => endpointName.slice(0, endpointName.lastIndexOf('-'));
