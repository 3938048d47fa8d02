/** The restarts by the supervisor, kept in a file for `make smoke`. */
import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs';
import { errorCode } from '../failure.ts';
import type { Ending } from '../processes/processes.ts';
import type { Restart } from './supervisor.ts';

/** The file keeps the newest restarts only; the supervisor's log has all. */
const maxBytes = 1024 * 1024;
const shownLineLength = 200;

export function recordRestart(file: string, restart: Restart): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.old`);
  appendFileSync(file, `${JSON.stringify(restart)}\n`);
}

/** All since the last look; none at the next one. */
export function takeRestarts(file: string): Restart[] {
  const shown = `${file}.shown`;
  try {
    renameSync(file, shown);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  return readFileSync(shown, 'utf8').split('\n').flatMap(parseRestart);
}

/** Readable text: a line for each process, and one for what it logged last. */
export function describeRestarts(restarts: readonly Restart[], nowMs: number): string[] {
  const byName = Map.groupBy(restarts, ({ name }) => name);
  return [...byName].flatMap(([name, its]) => {
    const last = its.at(-1);
    if (last === undefined) return [];
    const times = its.length === 1 ? '' : `, ${its.length} times`;
    const ended = `${name} ended ${describeAge(nowMs - last.endedAtMs)} ago (${describeEnding(last.how)})`;
    const logged = last.lastLogLine === '' ? [] : [`  ${name} | ${last.lastLogLine.slice(0, shownLineLength)}`];
    return [`${ended} and was started again${times}`, ...logged];
  });
}

export function describeEnding(how: Ending | undefined): string {
  if (how === undefined) return 'how is not known';
  return 'signal' in how ? `signal ${how.signal}` : `exit code ${how.code}`;
}

function describeAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** A line cut off by a full disk is skipped. */
function parseRestart(line: string): Restart[] {
  try {
    return [JSON.parse(line) as Restart];
  } catch {
    return [];
  }
}
