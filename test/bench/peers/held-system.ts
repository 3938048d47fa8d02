import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StackError } from '#deploy/local/failure.ts';
import { hooklineDir } from '#deploy/local/paths.ts';
import { removePostgresHome } from '#deploy/local/servers/postgres-home.ts';
import { createProcesses, type Processes } from '#deploy/local/processes/processes.ts';
import { stopEverything } from '#deploy/local/stack/stop-everything.ts';
import type { RunningSystem, Software, SystemOptions } from './systems/system.ts';

/** A software that runs for a turn, in a new folder of its own. Leftovers of a killed run are stopped first. */
export interface HeldSystem {
  running: RunningSystem;
  /** Stops it; what it has written is removed. */
  stop(): Promise<void>;
}

// `make clean` stops and removes folders of this name whose holder is gone.
const dirOf = ({ name }: Software): string => join(hooklineDir, `test-peers-${name}`);
const processesIn = (dir: string): Processes => createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });

/** @throws StackError where another run holds the software, or it does not start: its logs are kept then */
export async function holdSystem(software: Software, options: Omit<SystemOptions, 'dir'>): Promise<HeldSystem> {
  const dir = dirOf(software);
  const holder = processesIn(dir).pid('holder');
  if (holder !== undefined) throw new StackError(`process ${holder} measures ${software.name} already (${dir})`);
  await stopAndRemove(software);
  processesIn(dir).adopt('holder', process.pid);
  const running = await software.start({ ...options, dir });
  return { running, stop: () => stopAndRemove(software) };
}

async function stopAndRemove(software: Software): Promise<void> {
  const dir = dirOf(software);
  await stopEverything(processesIn(dir));
  removePostgresHome(dir);
  rmSync(dir, { recursive: true, force: true });
}

/** Stops a software that this process holds. Its folder stays. @returns the folder of its logs; undefined if it is not held */
export async function stopHeld(software: Software): Promise<string | undefined> {
  const dir = dirOf(software);
  if (!existsSync(dir) || processesIn(dir).pid('holder') !== process.pid) return undefined;
  await stopEverything(processesIn(dir));
  rmSync(join(dir, 'run', 'holder.pid'), { force: true });
  return join(dir, 'log');
}
