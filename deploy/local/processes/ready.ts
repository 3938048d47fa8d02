import { StackError } from '../failure.ts';
import type { Processes, Program } from './processes.ts';
import { until } from './until.ts';

const shownLogLines = 12;

/** Starts it, or keeps the running one; one that runs but does not answer is restarted. */
export async function startReady(
  processes: Processes,
  program: Program,
  probe: () => unknown,
  timeoutMs: number,
  /** Time for a running process to answer: as long as the slowest takes to start on a busy machine, since it may be starting. */
  keptTimeoutMs = 30_000,
): Promise<void> {
  const { name, stopSignal: signal } = program;
  const { started } = await processes.start(program);
  if (!started && !(await answers(name, probe, keptTimeoutMs))) {
    await processes.stop(name, { signal });
    await processes.start(program);
  }
  await ready(processes, name, probe, timeoutMs);
}

/** Waits until a process that runs answers its probe. One that ends, or never answers, is reported with the end of its log. */
export async function ready(
  processes: Processes,
  name: string,
  probe: () => unknown,
  timeoutMs: number,
): Promise<void> {
  try {
    await until(`${name} to be ready`, probe, {
      timeoutMs,
      hopeless: () => (processes.pid(name) === undefined ? 'its process has ended' : undefined),
    });
  } catch (error) {
    const lines = processes.lastLogLines(name, shownLogLines).map((line) => `  ${name} | ${line}`);
    throw new StackError([(error as Error).message, ...lines, `  all of it: ${processes.logFile(name)}`].join('\n'), {
      cause: error,
    });
  }
}

const answers = (name: string, probe: () => unknown, timeoutMs: number): Promise<boolean> =>
  until(`${name} to answer`, probe, { timeoutMs }).then(
    () => true,
    () => false,
  );
