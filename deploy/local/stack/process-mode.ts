/** Whether each service is its own process (or container), or all are in one (`hookline serve`). */
import { existsSync, readFileSync } from 'node:fs';
import { chosenProcessMode } from '../config.ts';
import { StackError } from '../failure.ts';
import { writePrivateFile } from '../key-value-file.ts';
import { stackFiles } from '../paths.ts';
import type { Processes } from '../processes/processes.ts';
import { serviceNames } from './ports.ts';

export const processModes = ['separate', 'one'] as const;
export type ProcessMode = (typeof processModes)[number];

/** The process of all services. */
export const serveName = 'serve';

const isService = (name: string): boolean => serviceNames.some((service) => service === name);

/** The process that a part of the stack runs in, by name. */
export const hostOf = (name: string, mode: ProcessMode): string =>
  mode === 'one' && isService(name) ? serveName : name;

type Seen = Pick<Processes, 'pid' | 'lastLogLines'>;

/** Enough lines of the shared log to contain one service's last ones. */
const linesOfAll = 20;

/** The processes by the names of the stack's parts. Parts that share a process have the same pid, and each its own lines of the log. */
export function byPart(processes: Seen, mode: ProcessMode): Seen {
  return {
    pid: (name) => processes.pid(hostOf(name, mode)),
    lastLogLines(name, count) {
      const host = hostOf(name, mode);
      if (host === name) return processes.lastLogLines(name, count);
      const lines = processes.lastLogLines(host, linesOfAll * count);
      // Lines that name no service are the process's, and are shown for each.
      const isOfAnother = (line: string): boolean =>
        serviceNames.some((other) => other !== name && line.includes(`"service":"${other}"`));
      return lines.filter((line) => !isOfAnother(line)).slice(-count);
    },
  };
}

/**
 * The mode that this start is to use. A stack that runs keeps the one that it has.
 *
 * @throws StackError where another one is chosen for a stack that runs
 */
export function decideProcessMode(isRunning: boolean): ProcessMode {
  const chosen = chosenProcessMode();
  const kept = keptProcessMode();
  if (isRunning && chosen !== undefined && chosen !== kept)
    throw new StackError(`the stack runs with HOOKLINE_PROCESSES=${kept}; to change that: make down, then make up`);
  const mode = isRunning ? kept : (chosen ?? 'separate');
  writePrivateFile(stackFiles.processMode, `${mode}\n`);
  return mode;
}

/** The mode of the last start. */
export const keptProcessMode = (): ProcessMode =>
  existsSync(stackFiles.processMode) && readFileSync(stackFiles.processMode, 'utf8').trim() === 'one'
    ? 'one'
    : 'separate';
