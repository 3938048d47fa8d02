/** Reads the dispatchers' logs: which process sent what, and which was given partitions when. */
import type { Arrival, Fault } from '../checker/history.ts';
import { isStop } from '../checker/ledger.ts';
import { isUnanswered } from '../checker/rules/ended.ts';

/** One send, as the process that did it saw it. One that was killed in the act has said nothing of it. */
export interface LoggedSend {
  /** Its name and which start of it: `dispatcher-2#3`. */
  process: string;
  eventId: string;
  endpointId: string;
  generation: number;
  attempt: number;
  outcome: string;
  /** The status of the answer; null if there was none, or the log does not have it. */
  status: number | null;
  startedAtMs: number;
  endedAtMs: number;
}

/** When a process had learned that it joined its group. A starved or stopped one learns it late; the generation says what it is worth. */
export interface Join {
  atMs: number;
  /** The group's: a member with a higher one has taken its partitions over from members with a lower one. */
  generation: number;
  /** It was given partitions that it had not had. */
  gained: boolean;
}

/** Plain data: it can be kept. A process is its name and which start of it. */
export interface DispatcherFacts {
  joins: ReadonlyMap<string, readonly Join[]>;
  /** By the event and the endpoint. */
  sends: ReadonlyMap<string, readonly LoggedSend[]>;
  /** When a process had no answer from Postgres to the question which deliveries are known: it sends them, at least once. */
  unasked: ReadonlyMap<string, readonly number[]>;
  /** How far the clock of each has been off, by its name alone; none: not at all. */
  steps: ReadonlyMap<string, readonly number[]>;
}

export interface DispatcherLog {
  /** The joins that gave this process partitions that it had not had. */
  gainsOf(process: string): readonly Join[];
  /** Its last join until then; undefined if it never joined. */
  lastJoinOf(process: string, untilMs: number): Join | undefined;
  /** Whether the process took deliveries between these times without knowing whether they had ended. */
  tookUnasked(process: string, fromMs: number, untilMs: number): boolean;
  /**
   * The sends that caused these arrivals of one event at one endpoint, in the order of their times, as far as known. One that was logged after its
   * process had been stopped is moved to when it began.
   */
  sendersOf(arrivals: readonly Arrival[], faults?: readonly Fault[]): Map<Arrival, LoggedSend>;
}

/** Slack between the receiver's clock and the sender's: both log a send when they get to it. */
export const slackMs = 50;
/** The longest that a starved process takes to log the end of a send: the send then seems to have begun so much later than it did. */
const starvedMs = 1_000;
/** A signature's time is that of its second's beginning, and is taken a little before or after the send is. */
const signing = { leastMs: -1_500, mostMs: 500 };
const rightClock = [0];

export function readDispatcherLog({ joins, sends, unasked, steps }: DispatcherFacts): DispatcherLog {
  const isSignedBy = ({ process, startedAtMs }: LoggedSend, { signedAtMs }: Arrival): boolean =>
    (steps.get(nameOfProcess(process)) ?? rightClock)
      .map((stepMs) => signedAtMs - (startedAtMs + stepMs))
      .some((ms) => ms >= signing.leastMs && ms <= signing.mostMs);

  return {
    gainsOf: (process) => joins.get(process)?.filter(({ gained }) => gained) ?? [],
    lastJoinOf: (process, untilMs) => joins.get(process)?.findLast(({ atMs }) => atMs <= untilMs),
    tookUnasked: (process, fromMs, untilMs) =>
      unasked.get(process)?.some((atMs) => atMs >= fromMs && atMs <= untilMs) ?? false,
    sendersOf(arrivals, faults = []) {
      const [first] = arrivals;
      const left = new Set(first === undefined ? [] : sends.get(keyOf(first)));
      const found = new Map<Arrival, LoggedSend>();
      // Exact fits first: a send is not matched with an earlier arrival while another fits.
      const stops = faults.filter(isStop);
      for (const { lateMs, moved } of [
        { lateMs: slackMs, moved: asLogged },
        { lateMs: starvedMs, moved: asLogged },
        { lateMs: starvedMs, moved: beforeStops(stops) },
        { lateMs: starvedMs, moved: upToArrival(stops) },
      ]) {
        for (const arrival of arrivals) {
          if (found.has(arrival)) continue;
          const [soonest] = [...left]
            .map((logged) => ({ logged, send: moved(logged, arrival) }))
            .filter(({ send }) => brought(send, arrival, lateMs) && isSignedBy(send, arrival))
            .sort((a, b) => patienceOf(a.send, arrival) - patienceOf(b.send, arrival));
          if (soonest === undefined) continue;
          found.set(arrival, soonest.send);
          left.delete(soonest.logged);
        }
      }
      return found;
    },
  };
}

/** Where a send began, as far as its line in the log says. */
type Move = (send: LoggedSend, arrival: Arrival) => LoggedSend;

const asLogged: Move = (send) => send;

const begunEarlier = (send: LoggedSend, ms: number): LoggedSend => ({ ...send, startedAtMs: send.startedAtMs - ms });

/** Its process stood still after its end: its duration holds nothing of that. */
const beforeStops =
  (stops: readonly Fault[]): Move =>
  (send, arrival) =>
    begunEarlier(send, stoodMs(stops, send, arrival));

/** Its process stood still and was slow to say so: its duration holds a part of that. It began before it arrived. */
const upToArrival =
  (stops: readonly Fault[]): Move =>
  (send, arrival) =>
    begunEarlier(send, Math.min(stoodMs(stops, send, arrival), Math.max(0, send.startedAtMs - arrival.atMs)));

/** How long its process stood still between its arrival and its line in the log. */
const stoodMs = (stops: readonly Fault[], send: LoggedSend, { atMs }: Arrival): number =>
  stops
    .filter((stop) => stop.process === nameOfProcess(send.process))
    .map((stop) => Math.min(stop.settledAtMs, send.endedAtMs) - Math.max(stop.atMs, atMs))
    .reduce((sum, ms) => sum + Math.max(0, ms), 0);

/** A receiver that lags, or whose link is slow, may read requests that its sender has given up. */
const brought = (send: LoggedSend, arrival: Arrival, lateMs: number): boolean =>
  send.attempt === arrival.attempt &&
  (send.status === null || arrival.answered === null || send.status === arrival.answered) &&
  arrival.atMs >= send.startedAtMs - lateMs &&
  (isUnanswered(send) || arrival.atMs <= send.endedAtMs + slackMs);

/** A send that ended first can't have arrived after a concurrent one; a send that was given up may have, if no other did. */
const patienceOf = ({ endedAtMs }: LoggedSend, { atMs }: Arrival): number =>
  endedAtMs + slackMs >= atMs ? endedAtMs : Number.MAX_VALUE;

/** Without which start of it. */
export const nameOfProcess = (process: string): string => process.split('#')[0] ?? process;

/** By which its sends are found. */
export const keyOf = ({ eventId, endpointId }: Pick<Arrival, 'eventId' | 'endpointId'>): string =>
  `${eventId} ${endpointId}`;
