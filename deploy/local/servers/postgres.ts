import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { StackError } from '../failure.ts';
import { isZombie } from '../processes/process-identity.ts';
import type { Processes, Program } from '../processes/processes.ts';
import { startReady } from '../processes/ready.ts';
import { until } from '../processes/until.ts';
import { makePostgresHome } from './postgres-home.ts';
import { asUser, type RunAs } from './run-as.ts';

const run = promisify(execFile);

export interface PostgresOptions {
  dir: string;
  port: number;
  processes: Processes;
  /** The folder of `postgres` and `initdb`. */
  bin: string;
  /** Password of the superuser `hookline`; used when the data is first made. */
  password: string;
  /** The user it runs as, if another one (Postgres refuses root). */
  runAs: RunAs | undefined;
  /** False: it does not wait for the disk. For tests: killing the process loses nothing, only the machine's end does. */
  durable: boolean;
  /** Settings of the server that override the defaults here. */
  settings?: Readonly<Record<string, string>>;
  say: (line: string) => void;
}

export interface Postgres {
  url: string;
  start(): Promise<void>;
  /** Starts it if it doesn't run; does not wait until it is ready. */
  launch(): Promise<void>;
  stop(): Promise<void>;
  /** Kills it at once; the next start recovers all committed data from its log. */
  kill(): Promise<void>;
  healthy(): Promise<boolean>;
}

const startTimeoutMs = 60_000;
const reapTimeoutMs = 15_000;
/** Ours, and the schema registry's. */
const databases = ['hookline', 'registry'];

/** Its fast shutdown; SIGTERM would wait for the clients to leave. */
export const postgresStopSignal = 'SIGINT';
/** Its immediate shutdown: no checkpoint, no goodbye. */
const immediateStopSignal = 'SIGQUIT';

export function createPostgres(options: PostgresOptions): Postgres {
  const { dir, port, processes, bin, password, runAs, durable, say } = options;
  async function initialise(home: string, data: string): Promise<void> {
    const unfinished = join(home, 'data.unfinished');
    const passwordFile = join(home, 'password');
    rmSync(unfinished, { recursive: true, force: true });
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    if (runAs !== undefined) chownSync(passwordFile, runAs.uid, runAs.gid);
    const initdb = asUser(runAs, join(bin, 'initdb'), [
      ...['--pgdata', unfinished, '--username', 'hookline', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--no-instructions', '--no-sync'],
    ]);
    try {
      await run(initdb.command, initdb.args, { cwd: home });
      await createDatabases(home, unfinished);
    } catch (error) {
      if (error instanceof StackError) throw error;
      throw new StackError(`initdb failed: ${(error as { stderr?: string }).stderr?.trim() ?? String(error)}`, {
        cause: error,
      });
    } finally {
      rmSync(passwordFile, { force: true });
    }
    renameSync(unfinished, data);
  }

  /** Uses single-user mode: needs neither a running server nor a client. */
  async function createDatabases(home: string, unfinished: string): Promise<void> {
    const program = asUser(runAs, join(bin, 'postgres'), ['--single', '-D', unfinished, 'postgres']);
    const child = spawn(program.command, program.args, { cwd: home, stdio: ['pipe', 'ignore', 'pipe'] });
    child.stdin.end(databases.map((name) => `CREATE DATABASE ${name};\n`).join(''));
    const said = await text(child.stderr);
    if (/(ERROR|FATAL|PANIC): /.test(said))
      throw new StackError(`Postgres could not make its databases: ${said.trim()}`);
  }

  /** Resolves when its data exists and no process has it open. */
  async function provideServer(): Promise<Program> {
    const home = makePostgresHome(dir, runAs, say);
    const data = join(home, 'data');
    if (!existsSync(data)) await initialise(home, data);
    await predecessorGone(data);
    const settings = {
      port: String(port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '400',
      fsync: durable ? 'on' : 'off',
      full_page_writes: durable ? 'on' : 'off',
      ...options.settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const program = asUser(runAs, join(bin, 'postgres'), ['-D', data, ...args]);
    return { name: 'postgres', ...program, cwd: home, stopSignal: postgresStopSignal };
  }

  return {
    url: `postgres://hookline:${encodeURIComponent(password)}@127.0.0.1:${port}/hookline`,
    start: async () => startReady(processes, await provideServer(), () => answers(port), startTimeoutMs),
    launch: async () => void (await processes.start(await provideServer())),
    stop: () => processes.stop('postgres', { signal: postgresStopSignal }),
    kill: () => processes.stop('postgres', { signal: immediateStopSignal }),
    healthy: () => answers(port).then(Boolean, () => false),
  };
}

/**
 * A killed server leaves its lock file, and a new one refuses to start while that process exists, even as a zombie. If it doesn't
 * disappear, Postgres itself reports it.
 */
async function predecessorGone(data: string): Promise<void> {
  const lockFile = join(data, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10);
  const gone = (): true | undefined => !isZombie(pid) || undefined;
  await until('the former Postgres to be gone', gone, { timeoutMs: reapTimeoutMs }).catch(() => undefined);
}

/**
 * A start-up packet of version 3.0 for user hookline: `R` asks for the password, so connections are taken; while it recovers it answers
 * `E` with "the database system is starting up".
 */
function answers(port: number): Promise<true | undefined> {
  return new Promise((resolve, reject) => {
    const text = Buffer.from('user\0hookline\0database\0postgres\0\0');
    const packet = Buffer.alloc(8 + text.length);
    packet.writeInt32BE(packet.length, 0);
    packet.writeInt32BE(3 << 16, 4);
    text.copy(packet, 8);
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(packet));
    socket.setTimeout(2_000, () => socket.destroy(new Error(`no answer from 127.0.0.1:${port}`)));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`127.0.0.1:${port} closed the connection`)));
    socket.on('data', (answer) => {
      resolve(answer[0] === 'R'.charCodeAt(0) || undefined);
      socket.destroy();
    });
  });
}
