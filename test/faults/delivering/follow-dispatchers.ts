/** Follows what the dispatchers say of themselves, line by line as they say it. */
import { type DispatcherFacts, type Join, keyOf, type LoggedSend } from './dispatcher-log.ts';

export interface DispatcherFollower {
  onLine(name: string, line: string): void;
  /** As of now. */
  facts(): DispatcherFacts;
}

/** Known facts about the processes' clocks. */
export interface KnownClocks {
  /** The true time when this process's clock showed `timeMs`, just before the call. */
  trueTimeOf(name: string, timeMs: number): number;
  /** How far this one's has been off so far, 0 among them. */
  stepsOf(name: string): readonly number[];
}

const rightClocks: KnownClocks = { trueTimeOf: (_name, timeMs) => timeMs, stepsOf: () => [0] };

export function followDispatchers(group: string, clocks: KnownClocks = rightClocks): DispatcherFollower {
  const names = new Set<string>();
  const starts = new Map<string, number>();
  const assigned = new Map<string, number>();
  const joins = new Map<string, Join[]>();
  const sends = new Map<string, LoggedSend[]>();
  const unasked = new Map<string, number[]>();
  const processOf = (name: string): string => `${name}#${starts.get(name) ?? 0}`;
  const timeOf = (name: string, { time }: { time: string }): number => clocks.trueTimeOf(name, Date.parse(time));

  function started(name: string): void {
    starts.set(name, (starts.get(name) ?? 0) + 1);
  }

  function joined(name: string, line: Joined): void {
    const { group: of, generation, assigned: now, lost } = line;
    if (of !== group) return;
    const process = processOf(name);
    const kept = (assigned.get(process) ?? 0) - lost;
    assigned.set(process, now);
    const join = { atMs: timeOf(name, line), generation, gained: now > kept };
    joins.set(process, [...(joins.get(process) ?? []), join]);
  }

  /** It begins again with what it is given then. */
  function crashed(name: string, { group: of }: Pick<Joined, 'group'>): void {
    if (of === group) assigned.set(processOf(name), 0);
  }

  function didNotAsk(name: string, line: { time: string }): void {
    const process = processOf(name);
    unasked.set(process, [...(unasked.get(process) ?? []), timeOf(name, line)]);
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

  return {
    onLine(name, line) {
      names.add(name);
      if (line.includes('"service.starting"')) started(name);
      else if (line.includes('"consumer.joined"')) joined(name, JSON.parse(line) as Joined);
      else if (line.includes('"consumer.crashed"')) crashed(name, JSON.parse(line) as Joined);
      else if (line.includes('"deliveries.not_looked_up"')) didNotAsk(name, JSON.parse(line) as { time: string });
      else if (line.includes('"delivery.attempted"')) sent(name, JSON.parse(line) as Sent);
    },
    facts: () => ({
      joins,
      sends,
      unasked,
      steps: new Map([...names].map((name) => [name, clocks.stepsOf(name)])),
    }),
  };
}

interface Joined {
  group: string;
  generation: number;
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
