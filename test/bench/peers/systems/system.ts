import type { Processes } from '#deploy/local/processes/processes.ts';
import type { CountedProcess } from '../accounts.ts';
import type { Target } from '../traffic/job.ts';

/** The measured systems: a software, and one way to publish to it. */
export const systemNames = [
  'outpost',
  'svix',
  'hookline-webhooks',
  'hookline-events',
  'hookline-one-webhooks',
  'hookline-one-events',
] as const;
export type SystemName = (typeof systemNames)[number];

/** A tenant of its own for each, made before the first event. */
export type Endpoints = 1 | 10;

/** Facts that the reader of a figure must know about the system. */
export interface Facts {
  /** Versions of the software and of each of its stores. */
  versions: readonly string[];
  /** Its work before an event is answered with 2xx, and how durable that is. */
  promises: Partial<Record<SystemName, string>>;
  /** Settings that differ from its defaults, and those that all systems share. */
  settings: string;
}

export interface RunningSystem {
  /** All processes that work for it, its stores included; restarted ones have another pid. */
  processes(): CountedProcess[];
  target(name: SystemName, endpoints: Endpoints): Target;
  /** SIGKILL of the software's own processes, not of its stores; resolves when they are ready again, after a second of absence. */
  killAndRestart(): Promise<void>;
}

export interface SystemOptions {
  /** Data, logs and pids. */
  dir: string;
  /** Ports of the receiver's endpoints: `/hook` on loopback. */
  receiverPorts: readonly number[];
  say(line: string): void;
}

export interface Software {
  /** Its folder's, too. */
  name: string;
  systems: readonly SystemName[];
  /** Why it can't be measured here, and how to change that; undefined if it can. */
  trouble(): string | undefined;
  facts(): Promise<Facts>;
  /** Resolves when it takes events. stop-system.ts stops everything that runs in `dir`. */
  start(options: SystemOptions): Promise<RunningSystem>;
}

export const isHookline = ({ systems }: Pick<Software, 'systems'>): boolean =>
  systems.every((name) => name.startsWith('hookline-'));

/** @throws Error if one has ended: its cost would be missing */
export const countedProcesses = (processes: Pick<Processes, 'pid'>, names: readonly string[]): CountedProcess[] =>
  names.map((name) => {
    const pid = processes.pid(name);
    if (pid === undefined) throw new Error(`${name} has ended`);
    return { name, pid };
  });

export const hookUrl = (port: number | undefined): string => `http://127.0.0.1:${port}/hook`;

/** Between the death of a software's processes and their start. */
export const absenceMs = 1_000;
