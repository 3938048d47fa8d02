/**
 * Processes that outlive the command that starts them. Each runs detached, in a session of its own, with one file for its output and one
 * for its identity. The child writes the latter itself before it becomes the program, so there is no moment at which it runs unknown,
 * however the command that starts it ends.
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from './config.ts';
import { fingerprint } from './fingerprint.ts';
import { identityText, isAlive, parseIdentity, printOwnIdentity } from './process-identity.ts';
import { until } from './until.ts';

export interface Program {
  name: string;
  command: string;
  args: readonly string[];
  /** Besides the environment of this process. */
  env?: Readonly<Record<string, string>>;
  cwd: string;
  /** What it is made of, besides the above: code that has changed, for instance. */
  made?: string;
  /** SIGTERM by default. */
  stopSignal?: NodeJS.Signals;
}

export interface StopOptions {
  signal?: NodeJS.Signals | undefined;
  timeoutMs?: number;
}

export interface Processes {
  /**
   * Starts it unless it runs already; one that was started otherwise than it would be now is stopped first. Resolves once its pid is
   * known; ready is another matter.
   */
  start(program: Program): Promise<{ pid: number; started: boolean }>;
  /** Writes down a process that was not started here. */
  adopt(name: string, pid: number): void;
  pid(name: string): number | undefined;
  /** The names of all that have a pid file, running or not. */
  names(): string[];
  /** True where it was running and the signal has been sent. */
  signal(name: string, signal: NodeJS.Signals): boolean;
  /** Ends it: the signal, then SIGKILL at the time limit. Resolves once it is gone; harmless where it does not run. */
  stop(name: string, options?: StopOptions): Promise<void>;
  logFile(name: string): string;
  lastLogLines(name: string, count: number): string[];
}

const maxLogBytes = 64 * 1024 * 1024;
const spawnTimeoutMs = 10_000;

export function createProcesses(dir: { run: string; log: string }): Processes {
  mkdirSync(dir.run, { recursive: true });
  mkdirSync(dir.log, { recursive: true });
  const pidFile = (name: string): string => join(dir.run, `${name}.pid`);
  const logFile = (name: string): string => join(dir.log, `${name}.log`);
  const printFile = (name: string): string => join(dir.run, `${name}.program`);

  function pid(name: string): number | undefined {
    const identity = parseIdentity(readIfThere(pidFile(name)));
    return identity !== undefined && isAlive(identity) ? identity.pid : undefined;
  }

  function signal(name: string, signalName: NodeJS.Signals): boolean {
    const running = pid(name);
    if (running === undefined) return false;
    try {
      process.kill(running, signalName);
      return true;
    } catch {
      return false;
    }
  }

  async function stop(
    name: string,
    { signal: first = 'SIGTERM', timeoutMs = 30_000 }: StopOptions = {},
  ): Promise<void> {
    const gone = (): true | undefined => pid(name) === undefined || undefined;
    if (signal(name, first)) {
      // A stopped process (SIGSTOP) would keep any other signal for later.
      signal(name, 'SIGCONT');
      await until(`${name} to end`, gone, { timeoutMs }).catch(async () => {
        signal(name, 'SIGKILL');
        await until(`${name} to end after SIGKILL`, gone, { timeoutMs: 10_000 });
      });
    }
    rmSync(pidFile(name), { force: true });
  }

  return {
    async start(program) {
      const print = fingerprint(JSON.stringify(program));
      const running = pid(program.name);
      if (running !== undefined && readIfThere(printFile(program.name)) === print)
        return { pid: running, started: false };
      if (running !== undefined) await stop(program.name, { signal: program.stopSignal });
      rmSync(pidFile(program.name), { force: true });
      writeFileSync(printFile(program.name), print);
      setAsideLargeLog(logFile(program.name));
      const output = openSync(logFile(program.name), 'a');
      const script = `{ ${printOwnIdentity}; } > "$0.new" && mv "$0.new" "$0" && exec "$@"`;
      const child = spawn('/bin/sh', ['-c', script, pidFile(program.name), program.command, ...program.args], {
        detached: true,
        stdio: ['ignore', output, output],
        env: childEnvironment(program.env),
        cwd: program.cwd,
      });
      closeSync(output);
      let ended: string | undefined;
      child.once('error', (error) => (ended = error.message));
      child.once('exit', (code, killedBy) => (ended = `exit ${code ?? killedBy}`));
      child.unref();
      const identified = (): true | undefined => readIfThere(pidFile(program.name)) !== '' || undefined;
      await until(`${program.name} to start`, identified, { timeoutMs: spawnTimeoutMs, hopeless: () => ended });
      // Where it has ended already the pid of the child will do: whoever waits for readiness finds it gone.
      return { pid: pid(program.name) ?? child.pid ?? 0, started: true };
    },
    adopt: (name, adopted) => writeFileSync(pidFile(name), identityText(adopted) ?? ''),
    pid,
    names: () =>
      readdirSync(dir.run)
        .filter((file) => file.endsWith('.pid'))
        .map((file) => file.slice(0, -'.pid'.length)),
    signal,
    stop,
    logFile,
    lastLogLines: (name, count) => readIfThere(logFile(name)).trimEnd().split('\n').slice(-count),
  };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A log is kept over restarts, but not for ever. */
function setAsideLargeLog(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(file, `${file}.1`);
}
