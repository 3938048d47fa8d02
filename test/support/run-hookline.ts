import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { withCompileCache } from './compile-cache.ts';

const root = resolve(import.meta.dirname, '../..');
const timeoutMs = 60_000;

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Options {
  env?: Readonly<Record<string, string>>;
  /** The standard input; empty by default. */
  input?: string | Buffer;
}

/** Runs the real command in a process of its own, which gets only the PATH of the caller's environment. */
export async function runHookline(args: readonly string[], { env = {}, input = '' }: Options = {}): Promise<Ran> {
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
