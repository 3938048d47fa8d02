import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

export interface Ended {
  code: number | null;
  /** Its time was over. */
  isOverdue: boolean;
  output: string;
}

/** For what was started by it to end in order. */
const graceMs = 20_000;

/**
 * Runs Node with these arguments, in a process group that is killed when it ends or its time is over.
 *
 * @throws Error if this process is told to end meanwhile
 */
export async function runWithin(
  limitMs: number,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const { promise: exited, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('exit', resolve);
  // Servers that it had started hold the pipe of its errors, and need their files, until they have stopped.
  const closed = once(child, 'close');
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // All of it has ended.
    }
  };
  let isOverdue = false;
  const atLimit = setTimeout(() => {
    isOverdue = true;
    signalGroup('SIGTERM');
  }, limitMs);
  const afterGrace = setTimeout(() => signalGroup('SIGKILL'), limitMs + graceMs);
  let isInterrupted = false;
  const interrupted = (): void => {
    isInterrupted = true;
    signalGroup('SIGTERM');
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const code = await exited;
    await Promise.race([closed, delay(graceMs, undefined, { ref: false })]);
    if (isInterrupted) throw new Error('interrupted');
    return { code, isOverdue, output: Buffer.concat(output).toString('utf8') };
  } finally {
    clearTimeout(atLimit);
    clearTimeout(afterGrace);
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    // Processes that it has left behind.
    signalGroup('SIGKILL');
  }
}
