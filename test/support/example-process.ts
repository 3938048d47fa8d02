import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { waitUntil } from './wait-until.ts';

export interface ExampleProcess {
  /** The lines that it has printed so far. */
  readonly lines: readonly string[];
  /** Waits for a line; gives its match. @throws Error with all that it printed */
  line(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray>;
  /** Sends the signal; resolves with the exit code, null after SIGKILL. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** A program in another language than ours, or as a user has it: known by what it prints. */
export function startExample(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): ExampleProcess {
  const lines: string[] = [];
  // Inherits nothing but what programs are found by.
  const child = spawn(program, [...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', (line) => lines.push(line));
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', (error) => {
      lines.push(error.message);
      resolve(null);
    });
  });
  return {
    lines,
    line: (pattern, timeoutMs) =>
      waitUntil(
        `${program} prints ${String(pattern)}`,
        () => lines.map((line) => pattern.exec(line)).find((match) => match !== null),
        { timeoutMs, describe: () => lines.join('\n') },
      ),
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
