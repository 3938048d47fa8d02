/** What the dispatchers say of themselves, by their logs: who has sent what, and who was given partitions when. */
import type { Arrival } from '../checker/history.ts';
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
  /** Of the answer; null where there was none, or it is not told. */
  status: number | null;
  startedAtMs: number;
  endedAtMs: number;
}

export interface DispatcherLog {
  onLine(name: string, line: string): void;
  /** When this process was given partitions that it had not had. */
  gainsOf(process: string): readonly number[];
  /** When it last joined the group, until then; -Infinity where it never did. */
  lastJoinOf(process: string, untilMs: number): number;
  /** The sends that brought these arrivals at one endpoint of one event, in the order of their times; each where it is known. */
  sendersOf(arrivals: readonly Arrival[]): Map<Arrival, LoggedSend>;
}

/** Of the receiver's clock against the sender's, which both write down when they come to it. */
export const slackMs = 50;
/** A signature's time is that of its second's beginning, and is taken a little before or after the send is. */
const signing = { leastMs: -1_500, mostMs: 500 };

/** What is known of the clocks that the processes go by. */
export interface KnownClocks {
  /** What the time was when this process took it for that, just before it is asked. */
  trueTimeOf(name: string, timeMs: number): number;
  /** How far this one's has been off so far, 0 among them. */
  stepsOf(name: string): readonly number[];
}

const rightClocks: KnownClocks = { trueTimeOf: (_name, timeMs) => timeMs, stepsOf: () => [0] };

export function createDispatcherLog(group: string, clocks: KnownClocks = rightClocks): DispatcherLog {
  const starts = new Map<string, number>();
  const assigned = new Map<string, number>();
  const joins = new Map<string, number[]>();
  const gains = new Map<string, number[]>();
  const sends = new Map<string, LoggedSend[]>();
  const processOf = (name: string): string => `${name}#${starts.get(name) ?? 0}`;
  const timeOf = (name: string, { time }: { time: string }): number => clocks.trueTimeOf(name, Date.parse(time));

  function started(name: string): void {
    starts.set(name, (starts.get(name) ?? 0) + 1);
  }

  function joined(name: string, line: Joined): void {
    const { group: of, assigned: now, lost } = line;
    if (of !== group) return;
    const process = processOf(name);
    const kept = (assigned.get(process) ?? 0) - lost;
    assigned.set(process, now);
    joins.set(process, [...(joins.get(process) ?? []), timeOf(name, line)]);
    if (now > kept) gains.set(process, [...(gains.get(process) ?? []), timeOf(name, line)]);
  }

  /** It begins again with what it is given then. */
  function crashed(name: string, { group: of }: Pick<Joined, 'group'>): void {
    if (of === group) assigned.set(processOf(name), 0);
  }

  function sent(name: string, line: Sent): void {
    const { eventId, endpointId, generation, attempt, outcome, httpStatus = null, durationMs } = line;
    const key = keyOf({ eventId, endpointId });
    const endedAtMs = timeOf(name, line);
    const facts = { eventId, endpointId, generation, attempt, outcome, status: httpStatus };
    const send = { process: processOf(name), ...facts, startedAtMs: endedAtMs - durationMs, endedAtMs };
    const known = sends.get(key);
    if (known === undefined) sends.set(key, [send]);
    else known.push(send);
  }

  const isSignedBy = ({ process, startedAtMs }: LoggedSend, { signedAtMs }: Arrival): boolean =>
    clocks
      .stepsOf(nameOfProcess(process))
      .map((stepMs) => signedAtMs - (startedAtMs + stepMs))
      .some((ms) => ms >= signing.leastMs && ms <= signing.mostMs);

  return {
    onLine(name, line) {
      if (line.includes('"service.starting"')) started(name);
      else if (line.includes('"consumer.joined"')) joined(name, JSON.parse(line) as Joined);
      else if (line.includes('"consumer.crashed"')) crashed(name, JSON.parse(line) as Joined);
      else if (line.includes('"delivery.attempted"')) sent(name, JSON.parse(line) as Sent);
    },
    gainsOf: (process) => gains.get(process) ?? [],
    lastJoinOf: (process, untilMs) => joins.get(process)?.findLast((atMs) => atMs <= untilMs) ?? -Infinity,
    sendersOf(arrivals) {
      const [first] = arrivals;
      const left = new Set(first === undefined ? [] : sends.get(keyOf(first)));
      const found = new Map<Arrival, LoggedSend>();
      for (const arrival of arrivals) {
        const [soonest] = [...left]
          .filter((send) => brought(send, arrival) && isSignedBy(send, arrival))
          .sort((a, b) => patienceOf(a, arrival) - patienceOf(b, arrival));
        if (soonest === undefined) continue;
        found.set(arrival, soonest);
        left.delete(soonest);
      }
      return found;
    },
  };
}

/** A receiver that is behind, or behind a link that holds it up, reads whenever it can what its sender has given up. */
const brought = (send: LoggedSend, arrival: Arrival): boolean =>
  send.attempt === arrival.attempt &&
  (send.status === null || arrival.answered === null || send.status === arrival.answered) &&
  arrival.atMs >= send.startedAtMs - slackMs &&
  (isUnanswered(send) || arrival.atMs <= send.endedAtMs + slackMs);

/** Of two that were under way at the same time, the one that ended first may have brought nothing later; one that was given up may have, if no other did. */
const patienceOf = ({ endedAtMs }: LoggedSend, { atMs }: Arrival): number =>
  endedAtMs + slackMs >= atMs ? endedAtMs : Number.MAX_VALUE;

/** Without which start of it. */
export const nameOfProcess = (process: string): string => process.split('#')[0] ?? process;

const keyOf = ({ eventId, endpointId }: Pick<Arrival, 'eventId' | 'endpointId'>): string => `${eventId} ${endpointId}`;

interface Joined {
  group: string;
  assigned: number;
  lost: number;
  time: string;
}

interface Sent {
  eventId: string;
  endpointId: string;
  generation: number;
  attempt: number;
  outcome: string;
  httpStatus?: number;
  durationMs: number;
  time: string;
}
