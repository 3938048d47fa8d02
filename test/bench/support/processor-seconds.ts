import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** User and system time of all threads of a process so far. */
export const processorSeconds = (pid: number): number => timesOf(pid).own;

/** The same for a process and its children, ended (and waited for) or running. */
export const processorSecondsOfFamily = (pid: number): number =>
  total(timesOf(pid)) + sum(startedBy(pid).map((each) => ifItRuns(0, () => total(timesOf(each)))));

/** The running children of a process, and theirs in turn. */
const startedBy = (pid: number): number[] =>
  ifItRuns([], () => childrenOf(pid)).flatMap((child) => [child, ...startedBy(child)]);

/** Memory of a process and its children, shared memory divided among them. */
export const proportionalKibOfFamily = (pid: number): number =>
  sum(
    [pid, ...startedBy(pid)].map((each) =>
      ifItRuns(0, () => parseProportionalKib(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))),
    ),
  );

/** Seconds that all processors together have been busy since the machine's start. */
export const busySecondsOfMachine = (): number => parseBusySeconds(readFileSync('/proc/stat', 'utf8'));

interface Times {
  own: number;
  /** Seconds of children that it has waited for, and of theirs. */
  ofEnded: number;
}

/** proc(5), `/proc/pid/stat`: fields 14 to 17. */
export function parseTimes(stat: string): Times {
  // The name, in brackets, may have anything in it.
  const [, rest = ''] = /^.*\) (.*)$/s.exec(stat) ?? [];
  const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = rest.split(' ').slice(11, 15).map(Number);
  return { own: (user + system) / ticksPerSecond, ofEnded: (userOfEnded + systemOfEnded) / ticksPerSecond };
}

export const parseProportionalKib = (rollup: string): number => Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1] ?? 0);

/** proc(5), `/proc/stat`: all but idle and waiting for disks; what guests use is in the user's time already. */
export function parseBusySeconds(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = (
    /^cpu +(.*)$/m.exec(stat)?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts + stolen) / ticksPerSecond;
}

const timesOf = (pid: number): Times => parseTimes(readFileSync(`/proc/${pid}/stat`, 'utf8'));

const total = ({ own, ofEnded }: Times): number => own + ofEnded;

/** Each thread lists its own children. */
const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    ifItRuns([], () => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean)).map(
      Number,
    ),
  );

/** A process that has ended since is counted next time, by its parent. */
function ifItRuns<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
