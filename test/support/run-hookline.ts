import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { run } from '../../services/cli/run.ts';
import { withCompileCache } from './compile-cache.ts';
import { createOwnContext, type Given } from './own-context.ts';
import { within } from './wait-until.ts';

const root = resolve(import.meta.dirname, '../..');
const timeoutMs = 60_000;

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command in the process of the test. It has nothing of that process but its working directory. */
export async function runHookline(args: readonly string[], given: Given = {}): Promise<Ran> {
  const { context, stdout, stderr } = createOwnContext(given);
  const code = await within(`hookline ${args.join(' ')}`, timeoutMs, run(args, context));
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Runs the real command in a process of its own, which gets only the PATH of the caller's environment: for what main.ts does. */
export async function spawnHookline(args: readonly string[], { env = {}, input = '' }: Given = {}): Promise<Ran> {
  const child = spawn(process.execPath, ['services/cli/main.ts', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...withCompileCache, ...env },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // A command that reads no input may have ended before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}
