import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { withCompileCache } from '../../support/compile-cache.ts';
import { waitUntil } from '../../support/wait-until.ts';

const root = resolve(import.meta.dirname, '../../..');

export interface Running {
  /** Its output so far, line by line. */
  lines(): string[];
  errors(): string;
  /** The first line from there on that has this in it. */
  line(text: string | RegExp, from?: number): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
}

const running = new Set<Running>();

/** Starts a long-running command in its own process, with only the PATH of the caller's environment. */
export function startHookline(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, ['services/cli/main.ts', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...withCompileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const lines = (): string[] => stdout.split('\n').slice(0, -1);
  const command: Running = {
    lines,
    errors: () => stderr,
    line: (text, from = 0) =>
      waitUntil(
        `a line with ${String(text)}`,
        () =>
          lines().find(
            (line, index) => index >= from && (typeof text === 'string' ? line.includes(text) : text.test(line)),
          ),
        { describe: () => stdout + stderr },
      ),
    signal: (signal) => void child.kill(signal),
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal));
    }),
  };
  running.add(command);
  return command;
}

/** For after each test: what a failed one has left behind would go on for ever. */
export async function endHookline(): Promise<void> {
  for (const command of running) {
    command.signal('SIGKILL');
    await command.ended;
  }
  running.clear();
}
