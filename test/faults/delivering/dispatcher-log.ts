/** What the dispatchers say of themselves, by their logs: who has sent what, and who was given partitions when. */
import type { AttemptOutcome } from '#lib/contract';
import type { Arrival } from '../checker/history.ts';

/** One send, as the process that did it saw it. One that was killed in the act has said nothing of it. */
export interface LoggedSend {
  /** Its name and which start of it: `dispatcher-2#3`. */
  process: string;
  eventId: string;
  endpointId: string;
  generation: number;
  attempt: number;
  outcome: string;
  startedAtMs: number;
  endedAtMs: number;
}

export interface DispatcherLog {
  onLine(name: string, line: string): void;
  /** When this process was given partitions that it had not had. */
  gainsOf(process: string): readonly number[];
  /** The sends that brought these arrivals at one endpoint of one event, each where it is known. */
  sendersOf(arrivals: readonly Arrival[]): Map<Arrival, LoggedSend>;
}

/** Of the receiver's clock against the sender's, which both write down when they come to it. */
const slackMs = 50;
/** A receiver that is behind, or behind a link that holds it up, reads what its sender has given up. */
const lateMs = 15_000;
const unanswered: ReadonlySet<string> = new Set(['timeout', 'connect'] satisfies AttemptOutcome[]);

/** @param trueTimeOf what the time was when this process took it for that, just before it is asked */
export function createDispatcherLog(
  group: string,
  trueTimeOf: (name: string, timeMs: number) => number = (_name, timeMs) => timeMs,
): DispatcherLog {
  const starts = new Map<string, number>();
  const assigned = new Map<string, number>();
  const gains = new Map<string, number[]>();
  const sends = new Map<string, LoggedSend[]>();
  const processOf = (name: string): string => `${name}#${starts.get(name) ?? 0}`;
  const timeOf = (name: string, { time }: { time: string }): number => trueTimeOf(name, Date.parse(time));

  function started(name: string): void {
    starts.set(name, (starts.get(name) ?? 0) + 1);
  }

  function joined(name: string, line: Joined): void {
    const { group: of, assigned: now, lost } = line;
    if (of !== group) return;
    const process = processOf(name);
    const kept = (assigned.get(process) ?? 0) - lost;
    assigned.set(process, now);
    if (now > kept) gains.set(process, [...(gains.get(process) ?? []), timeOf(name, line)]);
  }

  /** It begins again with what it is given then. */
  function crashed(name: string, { group: of }: Pick<Joined, 'group'>): void {
    if (of === group) assigned.set(processOf(name), 0);
  }

  function sent(name: string, line: Sent): void {
    const { eventId, endpointId, generation, attempt, outcome, durationMs } = line;
    const key = keyOf({ eventId, endpointId });
    const endedAtMs = timeOf(name, line);
    const facts = { eventId, endpointId, generation, attempt, outcome };
    const send = { process: processOf(name), ...facts, startedAtMs: endedAtMs - durationMs, endedAtMs };
    const known = sends.get(key);
    if (known === undefined) sends.set(key, [send]);
    else known.push(send);
  }

  return {
    onLine(name, line) {
      if (line.includes('"service.starting"')) started(name);
      else if (line.includes('"consumer.joined"')) joined(name, JSON.parse(line) as Joined);
      else if (line.includes('"consumer.crashed"')) crashed(name, JSON.parse(line) as Joined);
      else if (line.includes('"delivery.attempted"')) sent(name, JSON.parse(line) as Sent);
    },
    gainsOf: (process) => gains.get(process) ?? [],
    sendersOf(arrivals) {
      const [first] = arrivals;
      const left = new Set(first === undefined ? [] : sends.get(keyOf(first)));
      const found = new Map<Arrival, LoggedSend>();
      for (const arrival of arrivals) {
        const [nearest] = [...left]
          .filter((send) => brought(send, arrival))
          .sort((a, b) => Math.abs(a.startedAtMs - arrival.atMs) - Math.abs(b.startedAtMs - arrival.atMs));
        if (nearest === undefined) continue;
        found.set(arrival, nearest);
        left.delete(nearest);
      }
      return found;
    },
  };
}

const brought = ({ attempt, outcome, startedAtMs, endedAtMs }: LoggedSend, arrival: Arrival): boolean =>
  attempt === arrival.attempt &&
  arrival.atMs >= startedAtMs - slackMs &&
  arrival.atMs <= endedAtMs + (unanswered.has(outcome) ? lateMs : slackMs);

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
  durationMs: number;
  time: string;
}
