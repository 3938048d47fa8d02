import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { run } from '../../../services/cli/run.ts';
import { withCompileCache } from '../../support/compile-cache.ts';
import { createOwnContext } from '../../support/own-context.ts';
import { waitUntil, within } from '../../support/wait-until.ts';

const root = resolve(import.meta.dirname, '../../..');
const timeoutMs = 60_000;

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

type Env = Readonly<Record<string, string>>;

/** Commands that may still run, and the signal that ends each. */
const running = new Map<Running, NodeJS.Signals>();

/** Starts a long-running command in the process of the test: one that SIGTERM ends, or its own `--count`. */
export function startHookline(args: readonly string[], env: Env = {}): Running {
  const { context, stdout, stderr, signal } = createOwnContext({ env });
  return keep('SIGTERM', { stdout, stderr, signal, ended: run(args, context) });
}

/** Starts one in its own process, with only the PATH of the caller's environment: for what a signal does to it. */
export function spawnRunning(args: readonly string[], env: Env = {}): Running {
  const child = spawn(process.execPath, ['services/cli/main.ts', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...withCompileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return keep('SIGKILL', {
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal) => child.kill(signal),
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal));
    }),
  });
}

interface Started extends Pick<Running, 'ended'> {
  stdout(): string;
  stderr(): string;
  signal(signal: NodeJS.Signals): boolean;
}

function keep(lastSignal: NodeJS.Signals, { stdout, stderr, signal, ended }: Started): Running {
  const lines = (): string[] => stdout().split('\n').slice(0, -1);
  const command: Running = {
    lines,
    errors: stderr,
    line: (text, from = 0) =>
      waitUntil(
        `a line with ${String(text)}`,
        () =>
          lines().find(
            (line, index) => index >= from && (typeof text === 'string' ? line.includes(text) : text.test(line)),
          ),
        { describe: () => stdout() + stderr() },
      ),
    signal: (name) => void signal(name),
    ended,
  };
  running.set(command, lastSignal);
  return command;
}

/** For after each test: what a failed one has left behind would go on for ever. */
export async function endHookline(): Promise<void> {
  for (const [command, lastSignal] of running) {
    command.signal(lastSignal);
    await within('the command ends', timeoutMs, command.ended);
  }
  running.clear();
}
