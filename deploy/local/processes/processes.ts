/**
 * Processes that outlive the command that starts them. Each runs detached, in its own session, with one file for its output, one for its
 * identity and one for its exit. The child writes its own identity before it becomes the program, so it never runs unknown, however the
 * starting command ends. A small shell stays as its parent and writes its exit: nobody else learns the exit code once that command is gone.
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../config.ts';
import { fingerprint } from './fingerprint.ts';
import { identityText, isAlive, parentOf, parseIdentity, printOwnIdentity } from './process-identity.ts';
import { until } from './until.ts';

export interface Program {
  name: string;
  command: string;
  args: readonly string[];
  /** Besides the environment of this process. */
  env?: Readonly<Record<string, string>>;
  cwd: string;
  /** Fingerprint of what it runs, besides the above: its code, for instance. */
  made?: string;
  /** SIGTERM by default. */
  stopSignal?: NodeJS.Signals;
}

interface StopOptions {
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
  /** True if it was running and was sent the signal. */
  signal(name: string, signal: NodeJS.Signals): boolean;
  /** Ends it: sends the signal, then SIGKILL at the time limit. Resolves when it is gone; does nothing if it doesn't run. */
  stop(name: string, options?: StopOptions): Promise<void>;
  /** How the last process of this name ended, if known. */
  howEnded(name: string): Ending | undefined;
  logFile(name: string): string;
  lastLogLines(name: string, count: number): string[];
}

/** A signal if the exit status says so: a program that exits with 128 + n itself means the same. */
export type Ending = { signal: NodeJS.Signals } | { code: number };

const maxLogBytes = 64 * 1024 * 1024;
/** The end of a log, for its last lines. */
const readLogBytes = 1024 * 1024;
const spawnTimeoutMs = 10_000;
/** After the end of the process; its shell has no more to do than write a line. */
const endingTimeoutMs = 2_000;
const asProgram = `{ ${printOwnIdentity}; } > "$0.new" && mv "$0.new" "$0" && exec "$@"`;
/**
 * `$0` the file for the ending, `$1` the script above, `$2` the pid file, then the program and its arguments. That a program was killed is
 * not said in its own log.
 */
const asParent = 'exec 3>&2 2> /dev/null; (exec 2>&3 3>&-; exec /bin/sh -c "$@"); echo $? > "$0"';

export function createProcesses(dir: { run: string; log: string }): Processes {
  mkdirSync(dir.run, { recursive: true });
  mkdirSync(dir.log, { recursive: true });
  const pidFile = (name: string): string => join(dir.run, `${name}.pid`);
  const logFile = (name: string): string => join(dir.log, `${name}.log`);
  const printFile = (name: string): string => join(dir.run, `${name}.program`);
  const endingFile = (name: string): string => join(dir.run, `${name}.ended`);

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
    const shell = parentOf(readIfThere(pidFile(name)));
    if (signal(name, first)) {
      // A stopped process (SIGSTOP) would keep any other signal for later.
      signal(name, 'SIGCONT');
      await until(`${name} to end`, gone, { timeoutMs }).catch(async () => {
        signal(name, 'SIGKILL');
        await until(`${name} to end after SIGKILL`, gone, { timeoutMs: 10_000 });
      });
      // Its shell has a line to write yet. A process that was not started here has a parent that stays.
      const alone = (): true | undefined => shell === undefined || !isAlive(shell) || undefined;
      await until(`the shell of ${name} to end`, alone, { timeoutMs: endingTimeoutMs }).catch(() => undefined);
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
      rmSync(endingFile(program.name), { force: true });
      writeFileSync(printFile(program.name), print);
      setAsideLargeLog(logFile(program.name));
      const output = openSync(logFile(program.name), 'a');
      const files = { ending: endingFile(program.name), pid: pidFile(program.name) };
      const args = ['-c', asParent, files.ending, asProgram, files.pid, program.command, ...program.args];
      const child = spawn('/bin/sh', args, {
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
      const identified = () => parseIdentity(readIfThere(files.pid));
      const waiting = { timeoutMs: spawnTimeoutMs, hopeless: () => ended };
      // It may have ended already: waiting for readiness finds that out.
      const { pid: startedPid } = await until(`${program.name} to start`, identified, waiting);
      return { pid: startedPid, started: true };
    },
    adopt: (name, adopted) => writeFileSync(pidFile(name), identityText(adopted) ?? ''),
    pid,
    names: () =>
      readdirSync(dir.run)
        .filter((file) => file.endsWith('.pid'))
        .map((file) => file.slice(0, -'.pid'.length)),
    signal,
    stop,
    howEnded: (name) => parseEnding(readIfThere(endingFile(name))),
    logFile,
    lastLogLines: (name, count) => readEnd(logFile(name), readLogBytes).trimEnd().split('\n').slice(-count),
  };
}

/** Parses an exit status as shells write it. */
function parseEnding(text: string): Ending | undefined {
  if (!/^\d+\n$/.test(text)) return undefined;
  const status = Number(text);
  const [signal] = Object.entries(constants.signals).find(([, number]) => number === status - 128) ?? [];
  return signal === undefined ? { code: status } : { signal: signal as NodeJS.Signals };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readEnd(file: string, maxBytes: number): string {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maxBytes) return readIfThere(file);
  const end = Buffer.alloc(maxBytes);
  const open = openSync(file, 'r');
  try {
    return end.toString('utf8', 0, readSync(open, end, 0, maxBytes, size - maxBytes));
  } finally {
    closeSync(open);
  }
}

/** A log is kept over restarts, but not for ever. */
function setAsideLargeLog(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(file, `${file}.1`);
}
