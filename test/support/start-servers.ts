/**
 * jest's globalSetup for the projects that need servers. It runs once per project; the first call starts one set for the whole run, the
 * others share it. A separate process holds the set and stops it when its standard input ends, so nothing is left however jest ends. If
 * HOOKLINE_TEST_SERVERS names a file with the addresses of running servers, those are used.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chosenStackKind } from '#deploy/local/config.ts';
import { troubleOfTestContainers } from './container-images.ts';

export interface HeldServers {
  /** Ends and removes them when its standard input ends. */
  holder: ChildProcess;
  /** The path of the file with the addresses. */
  file: Promise<string>;
}

export interface SharedServers extends HeldServers {
  users: number;
}

declare global {
  var hooklineTestServers: SharedServers | undefined;
}

export default async function startServers({ rootDir }: { rootDir: string }): Promise<void> {
  if (globalThis.hooklineTestServers === undefined && process.env.HOOKLINE_TEST_SERVERS !== undefined) return;
  const shared = (globalThis.hooklineTestServers ??= { ...(await holdContainersOrServers(rootDir)), users: 0 });
  shared.users += 1;
  process.env.HOOKLINE_TEST_SERVERS = await shared.file;
}

/** Starts containers if possible, else local processes (`STACK=native`: always), and prints which. */
async function holdContainersOrServers(rootDir: string): Promise<HeldServers> {
  const chosen = chosenStackKind();
  const trouble = chosen === 'native' ? 'STACK=native' : await troubleOfTestContainers();
  if (trouble !== undefined && chosen === 'containers') throw new Error(trouble);
  console.error(`servers for the tests: ${trouble === undefined ? 'containers' : `local processes (${trouble})`}`);
  return trouble === undefined
    ? hold(rootDir, 'test/support/container-servers.ts', ['--dir', newServersDir(rootDir)])
    : holdServers(rootDir);
}

/** A folder for servers that are to be held. */
export const newServersDir = (rootDir: string): string =>
  join(rootDir, '.hookline', `test-${randomBytes(4).toString('hex')}`);

/** @param dir a folder whose existing plan is used */
export const holdServers = (rootDir: string, dir?: string): HeldServers =>
  hold(rootDir, 'deploy/local/test-servers.ts', ['--dir', dir ?? newServersDir(rootDir)]);

/** The servers of `make up`: slower to start, and every write is on the disk. */
export const holdDurableServers = (rootDir: string): HeldServers =>
  hold(rootDir, 'deploy/local/test-servers.ts', ['--dir', newServersDir(rootDir), '--durable']);

function hold(rootDir: string, programFile: string, args: readonly string[]): HeldServers {
  const program = join(rootDir, programFile);
  const holder = spawn(process.execPath, [program, 'hold', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // In a process group of its own: Ctrl-C must reach it only as the end of its input.
    detached: true,
  });
  const file = new Promise<string>((resolve, reject) => {
    createInterface({ input: holder.stdout }).once('line', resolve);
    holder.once('error', reject);
    holder.once('exit', () => reject(new Error('the servers for the tests did not start')));
  });
  return { holder, file };
}
