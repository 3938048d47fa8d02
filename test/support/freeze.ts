import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { waitUntil } from './wait-until.ts';

/**
 * Stops a process in its tracks (SIGSTOP): it keeps its connections and answers nothing. SIGCONT ends that.
 *
 * @returns once every thread stands: on busy cores they run on for tens of milliseconds, enough for an answer
 * @throws Error if there is no such process
 */
export async function freeze(pid: number | undefined): Promise<void> {
  if (pid === undefined) throw new Error('there is no process to stop');
  process.kill(pid, 'SIGSTOP');
  await waitUntil(`process ${pid} stands`, () => threadStates(pid).every((state) => state.startsWith('T')), {
    everyMs: 2,
  });
}

/** One letter or more each, T for stopped; where the system keeps no account of threads, that of the process. */
function threadStates(pid: number): string[] {
  process.kill(pid, 0);
  if (process.platform !== 'linux')
    return [execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })];
  return readdirSync(`/proc/${pid}/task`).map((thread) => stateOf(`/proc/${pid}/task/${thread}/stat`));
}

/** The first field after the name, which may hold anything. One that has just ended has none. */
function stateOf(statFile: string): string {
  try {
    return readFileSync(statFile, 'utf8').replace(/^.*\) /s, '');
  } catch {
    return '';
  }
}
