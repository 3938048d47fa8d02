import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { OrphanReaper } from './orphan-reaper.ts';
import { waitUntil, within } from './wait-until.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** True where the test itself sent the SIGKILL: it is then no proof of a crash point. */
  killedByTest: boolean;
  atMs: number;
}

export interface ServiceProcess {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** Resolves once each /readyz answers 200. @throws Error where the process ends before, or at the time limit */
  ready(timeoutMs: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL at the time limit. */
  stop(timeoutMs: number): Promise<Exit>;
}

interface Options {
  name: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** The admin URL of each service in it. */
  adminUrls: readonly string[];
  onLine(line: string): void;
  reaper: OrphanReaper;
}

const askTimeoutMs = 2_000;
const shownComplaints = { lines: 8, length: 500 };

/** An error of the log's, or what is written beside it: a process that could not even begin. */
const isComplaint = (line: string): boolean => !line.startsWith('{') || /^\{"level":[56]0,/.test(line);

async function isReadyAt(adminUrl: string): Promise<boolean> {
  const answer = await fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(askTimeoutMs) }).catch(
    () => undefined,
  );
  await answer?.body?.cancel();
  return answer?.status === 200;
}

/** One process of one service, or of several, from its start to its exit. Never restarted: that is the pipeline's business. */
export function startServiceProcess({ name, args, cwd, env, adminUrls, onLine, reaper }: Options): ServiceProcess {
  const child = spawn(process.execPath, [...args], {
    cwd,
    // Inherits nothing: a HOOKLINE_ variable of the shell would change the test.
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${name} could not be started`);
  reaper.watch(pid);
  const complaints: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      if (isComplaint(line)) complaints.push(line.slice(0, shownComplaints.length));
      if (complaints.length > shownComplaints.lines) complaints.shift();
      onLine(line);
    });

  let killedByTest = false;
  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      reaper.release(pid);
      exit = { code, signal, killedByTest, atMs: Date.now() };
      resolve(exit);
    });
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGKILL') killedByTest = true;
    child.kill(signal);
  };

  return {
    pid,
    exited,
    kill,
    async ready(timeoutMs) {
      await waitUntil(
        `${name} is ready`,
        async () => {
          if (exit !== undefined)
            throw new Error(
              [`${name} ended before it was ready: code ${exit.code}, signal ${exit.signal}`, ...complaints].join('\n'),
            );
          return (await Promise.all(adminUrls.map(isReadyAt))).every(Boolean);
        },
        { timeoutMs },
      );
    },
    async stop(timeoutMs) {
      if (exit === undefined) kill('SIGTERM');
      return within(`${name} stops`, timeoutMs, exited).catch(async () => {
        kill('SIGKILL');
        return exited;
      });
    },
  };
}
