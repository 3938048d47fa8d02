import {
  busySecondsOfMachine,
  processorSeconds,
  processorSecondsOfFamily,
  proportionalKibOfFamily,
} from '../support/processor-seconds.ts';

/** A process that runs for a system, by what it is; all that it has started are counted with it. */
export interface CountedProcess {
  name: string;
  pid: number;
}

/** Processor seconds of a time. */
export interface Spent {
  /** Seconds of the system's processes. */
  by: Readonly<Record<string, number>>;
  system: number;
  /** Sender, receiver, and what starts and counts all this. */
  ours: number;
  /** Seconds of all other processes on this machine. */
  others: number;
  seconds: number;
}

export interface Reading {
  by: Readonly<Record<string, number>>;
  ours: number;
  machine: number;
  atMs: number;
}

export const readAccounts = (processes: readonly CountedProcess[], ownPids: readonly number[]): Reading => ({
  by: Object.fromEntries(processes.map(({ name, pid }) => [name, processorSecondsOfFamily(pid)])),
  ours: ownPids.reduce((sum, pid) => sum + processorSeconds(pid), 0),
  machine: busySecondsOfMachine(),
  atMs: performance.now(),
});

export function spentBetween(before: Reading, after: Reading): Spent {
  const by = Object.fromEntries(
    Object.entries(after.by).map(([name, total]) => [name, total - (before.by[name] ?? 0)]),
  );
  const system = Object.values(by).reduce((sum, each) => sum + each, 0);
  const ours = after.ours - before.ours;
  // Ticks are rounded process by process: what is left of a quiet machine may be below 0.
  const others = Math.max(0, after.machine - before.machine - system - ours);
  return { by, system, ours, others, seconds: (after.atMs - before.atMs) / 1_000 };
}

/** Memory by process, in MiB. */
export const readMemory = (processes: readonly CountedProcess[]): Record<string, number> =>
  Object.fromEntries(processes.map(({ name, pid }) => [name, proportionalKibOfFamily(pid) / 1_024]));
