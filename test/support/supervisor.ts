/**
 * The processes of a pipeline: which run, which have ended unasked, and, if supervised, their restarts. If several share one (housing.ts),
 * a fault of one hits that.
 */
import { fileURLToPath } from 'node:url';
import { type OrphanReaper, startOrphanReaper } from './orphan-reaper.ts';
import type { HostName } from './housing.ts';
import type { Environment } from './pipeline-environment.ts';
import type { ProcessName } from './process-names.ts';
import { type Exit, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { waitUntil, within } from './wait-until.ts';

export interface Supervisor {
  /** Topics, migrations and schemas. */
  setUp(): Promise<void>;
  launch(name: ProcessName, env?: Readonly<Record<string, string>>): ServiceProcess;
  /** Resolves when it is ready. */
  start(name: ProcessName, env?: Readonly<Record<string, string>>): Promise<void>;
  stop(name: ProcessName): Promise<Exit>;
  /** The process of this name; a supervised one that has just ended runs again soon. */
  running(name: ProcessName): Promise<ServiceProcess>;
  /** It is to end, and is not started again for that. */
  expectEnd(process: ServiceProcess): void;
  processIds(): Record<string, number>;
  /** Stops restarting; resolves with how each process ended. */
  stopAll(): Promise<Partial<Record<ProcessName, Exit>>>;
  readonly surprises: readonly string[];
  readonly restarts: Restart[];
}

export interface Restart {
  name: ProcessName;
  atMs: number;
  how: string;
}

interface Options {
  environment: Environment;
  isSupervised: boolean;
  /** Where the programs are that are started from now on. Default: this tree. */
  treeOf?: (() => string) | undefined;
  onLine(name: string, line: string): void;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const setupTimeoutMs = 180_000;
const readyTimeoutMs = 180_000;
/** A dependency that a supervised process waits for when it starts may be away, or in turmoil. */
const supervisedReadyTimeoutMs = 240_000;
/** Above the services' own limit: a service that keeps to it is never killed here. */
const stopTimeoutMs = 25_000;
/** Without a pause it would meet the cause of its end again. */
export const restartDelayMs = 500;

export function createSupervisor({ environment, isSupervised, treeOf, onLine }: Options): Supervisor {
  const readyWithinMs = isSupervised ? supervisedReadyTimeoutMs : readyTimeoutMs;
  const { housing } = environment;
  const { hostOf, housemates } = housing;
  const running = new Map<HostName, ServiceProcess>();
  const expectedToEnd = new Set<ServiceProcess>();
  const surprises: string[] = [];
  const restarts: Restart[] = [];
  let isStopping = false;
  let reaper: OrphanReaper | undefined;

  const spawn = (
    name: string,
    args: string[],
    adminUrls: readonly string[],
    env: Readonly<Record<string, string>>,
    authorOf: (line: string) => string = () => name,
  ): ServiceProcess =>
    startServiceProcess({
      name,
      args,
      cwd: treeOf?.() ?? root,
      env,
      adminUrls,
      onLine: (line) => onLine(authorOf(line), line),
      reaper: (reaper ??= startOrphanReaper()),
    });

  const launch: Supervisor['launch'] = (name, more = {}) => {
    if (isStopping) throw new Error(`${name} was to be started when all had been stopped`);
    const host = hostOf(name);
    if (running.has(host)) throw new Error(`${host} runs already`);
    const mates = housemates(name);
    const env = { ...environment.of(name), ...more };
    const adminUrls = mates.map((mate) => environment.adminUrl(mate));
    const launched = spawn(host, housing.program(name), adminUrls, env, (line) => housing.authorOf(name, line));
    running.set(host, launched);
    void launched.exited.then(({ code, signal, atMs }) => {
      if (running.get(host) === launched) running.delete(host);
      if (expectedToEnd.has(launched)) return;
      const how = String(code ?? signal);
      if (!isSupervised) return void surprises.push(`${host} ended with ${how}`);
      for (const mate of mates) restarts.push({ name: mate, atMs, how });
      setTimeout(() => void (isStopping || running.has(host) || launch(name)), restartDelayMs);
    });
    return launched;
  };

  /** For each that runs, the process that it runs in. */
  const runningNames = (): Map<ProcessName, ServiceProcess> =>
    new Map(
      environment.names.flatMap((name) => {
        const found = running.get(hostOf(name));
        return found === undefined ? [] : [[name, found] as const];
      }),
    );

  const find: Supervisor['running'] = async (name) => {
    if (isSupervised)
      await waitUntil(`${name} runs`, () => running.has(hostOf(name)), { timeoutMs: restartDelayMs + readyWithinMs });
    const found = running.get(hostOf(name));
    if (found === undefined) throw new Error(`${name} does not run`);
    return found;
  };

  const stop: Supervisor['stop'] = async (name) => {
    const found = await find(name);
    expectedToEnd.add(found);
    return found.stop(stopTimeoutMs);
  };

  return {
    async setUp() {
      const setup = spawn('setup', ['services/cli/main.ts', 'setup'], [], environment.common);
      const { code, signal } = await within('setup', setupTimeoutMs, setup.exited).finally(() => setup.kill('SIGKILL'));
      if (code !== 0) throw new Error(`setup ended with ${code ?? signal}`);
    },
    launch,
    async start(name, env) {
      let launched = launch(name, env);
      const deadlineMs = performance.now() + readyWithinMs;
      const failures: unknown[] = [];
      for (;;) {
        try {
          return await launched.ready(deadlineMs - performance.now());
        } catch (error) {
          if (!isSupervised) throw error;
          failures.push(error);
          if (performance.now() >= deadlineMs)
            // The last one may have just begun; the earlier ones show the reason.
            throw new Error(
              `${name}, started ${failures.length} times in ${readyWithinMs} ms: ${String(failures.at(-2) ?? error)}`,
              { cause: error },
            );
        }
        launched = await waitUntil(`${name} runs again`, () => running.get(hostOf(name)), { timeoutMs: readyWithinMs });
      }
    },
    stop,
    running: find,
    expectEnd: (process) => void expectedToEnd.add(process),
    processIds: () => Object.fromEntries([...runningNames()].map(([name, { pid }]) => [name, pid])),
    async stopAll() {
      isStopping = true;
      try {
        // All at once: each must end without the others. A shared process is signalled once, since a second signal cuts it short.
        const names = [...runningNames()];
        const stops = new Map(names.map(([name, found]) => [found, name] as const));
        const exits = new Map(
          await Promise.all([...stops].map(async ([found, name]) => [found, await stop(name)] as const)),
        );
        return Object.fromEntries(names.map(([name, found]) => [name, exits.get(found)]));
      } finally {
        reaper?.stop();
        reaper = undefined;
      }
    },
    surprises,
    restarts,
  };
}
