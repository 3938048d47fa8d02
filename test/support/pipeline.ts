/**
 * The five services as real processes, with a topic prefix, a database, a Redis database number and ports of their own, and a supervisor
 * that starts again what a test has killed.
 *
 * A service that ends without the test having asked for it is no fault but a failure: `assertNoSurprise` throws. Supervised ones are started
 * again instead, as a supervisor does.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CrashPointName } from '#lib/crash-points';
import type { Fault } from '../faults/checker/history.ts';
import { freePorts } from '#deploy/local/free-ports.ts';
import { type OrphanReaper, startOrphanReaper } from './orphan-reaper.ts';
import { type Exit, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { type ServiceName, serviceNames, type Stack } from './stack.ts';
import { waitUntil, within } from './wait-until.ts';

export interface PipelineOptions {
  servers: { kafkaBrokers: readonly string[]; redisUrl: string; schemaRegistryUrl: string };
  topicPrefix: string;
  databaseUrl: string;
  /** Default: one of each. */
  services?: readonly ProcessName[];
  /** Processes that come later, if at all. */
  visitors?: readonly ProcessName[];
  /** Added to every service's environment. */
  env?: Readonly<Record<string, string>>;
  /** Added to those of one process. */
  envOf?(name: ProcessName): Readonly<Record<string, string>>;
  /** What ends by itself, or before it is ready, is started again. */
  isSupervised?: boolean;
  /** Told of every line that a process logs. */
  onLine?(name: string, line: string): void;
}

/** A service, or one more process of it: `dedup`, `dedup-2`. */
export type ProcessName = ServiceName | `${ServiceName}-${number}`;

/** Where a process is to die: at this point's n-th passing. */
export interface PlannedKill {
  point: CrashPointName;
  turn: number;
}

export interface Pipeline {
  readonly stack: Stack;
  readonly redisUrl: string;
  metricsUrl(name: ProcessName): string;
  /** Where this process of the API listens; that of `api` is the stack's. */
  apiUrl(name: ProcessName): string;
  /** The same of the ingress. */
  ingressUrl(name: ProcessName): string;
  /** Of the processes that run now. */
  processIds(): Record<string, number>;
  /** Topics, migrations and schemas, then the services; resolves when all are ready. */
  start(): Promise<void>;
  /** Ends all services in order; resolves with how each ended. */
  stop(): Promise<Partial<Record<ProcessName, Exit>>>;
  startService(name: ProcessName, env?: Readonly<Record<string, string>>): Promise<void>;
  stopService(name: ProcessName): Promise<Exit>;
  /** SIGTERM, and started again when it has ended in order. */
  restartService(name: ProcessName): Promise<void>;
  /** SIGKILL at this moment; resolves when its successor, started after `beforeRestart`, is ready. */
  killService(name: ProcessName, beforeRestart?: () => Promise<void>): Promise<void>;
  /** SIGSTOP for as long as `meanwhile` lasts. */
  freezeService(name: ProcessName, meanwhile: () => Promise<void>): Promise<void>;
  /**
   * Has one service die at one crash point after the other: each successor is started with the next one armed, the last without any.
   * There must be work all the while. Resolves when the last one is ready, with how each of the others ended.
   *
   * @param beforeRestart what happens between a death and its successor's start
   * @param name which process of the service; its only one by default
   * @throws Error where a process does not end at its point in time
   */
  killAlong(kills: readonly PlannedKill[], beforeRestart?: () => Promise<void>, name?: ProcessName): Promise<Exit[]>;
  /** What the test has done to it. A fault is over some time after the last successor is ready. */
  readonly faults: readonly Fault[];
  /** Where they are supervised: each that ended by itself, with how. */
  readonly restarts: readonly { name: ProcessName; atMs: number; how: string }[];
  /** @throws Error where a service ended that nobody had asked to */
  assertNoSurprise(): void;
  /** The prefix, and the last lines of every service's log. */
  describe(): string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const setupTimeoutMs = 60_000;
const readyTimeoutMs = 60_000;
/** Above the services' own limit: a service that keeps to it is never killed here. */
const stopTimeoutMs = 25_000;
const shutdownTimeoutMs = 20_000;
/** From an armed process's start: a group that has lost a member waits for it first. */
const deathTimeoutMs = 120_000;
/** After the last successor is ready: until what its predecessors had begun has been done again. */
const settlingMs = 5_000;
const restartDelayMs = 500;
const keptLogLines = 500;
const shownLogLines = 12;
const shownLineLength = 300;

export const pause = (ms: number) => async (): Promise<void> => void (await delay(ms));

export async function createPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { servers, topicPrefix, databaseUrl } = options;
  const names = [...new Set<ProcessName>([...serviceNames, ...(options.services ?? []), ...(options.visitors ?? [])])];
  const ports = await freePorts(2 * names.length);
  const urlAt = (port: number | undefined): string => `http://127.0.0.1:${port}`;
  /** Of those that serve others. */
  const publicUrl = (name: ProcessName): string => urlAt(ports[names.indexOf(name)]);
  const adminUrl = (name: ProcessName): string => urlAt(ports[names.length + names.indexOf(name)]);
  const stack: Stack = {
    ingressUrl: publicUrl('ingress'),
    apiUrl: publicUrl('api'),
    adminKey: `admin-${randomBytes(16).toString('hex')}`,
    kafkaBrokers: servers.kafkaBrokers,
    topicPrefix,
    databaseUrl,
    schemaRegistryUrl: servers.schemaRegistryUrl,
  };
  const env: Record<string, string> = {
    HOOKLINE_ENV: 'test',
    HOOKLINE_HOST: '127.0.0.1',
    HOOKLINE_KAFKA_BROKERS: servers.kafkaBrokers.join(','),
    HOOKLINE_TOPIC_PREFIX: topicPrefix,
    HOOKLINE_TOPIC_PARTITIONS: '3',
    HOOKLINE_TOPIC_REPLICATION: '1',
    HOOKLINE_REDIS_URL: servers.redisUrl,
    HOOKLINE_DATABASE_URL: databaseUrl,
    HOOKLINE_SCHEMA_REGISTRY_URL: servers.schemaRegistryUrl,
    HOOKLINE_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    HOOKLINE_ADMIN_KEY: stack.adminKey,
    HOOKLINE_INGRESS_URL: stack.ingressUrl,
    HOOKLINE_API_URL: stack.apiUrl,
    HOOKLINE_ALLOW_HTTP: 'true',
    HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
    HOOKLINE_SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs),
    ...options.env,
  };

  const logs = new Map<string, string[]>();
  const running = new Map<ProcessName, ServiceProcess>();
  const surprises: string[] = [];
  const restarts: { name: ProcessName; atMs: number; how: string }[] = [];
  let isStopping = false;
  const faults: Fault[] = [];
  const expectedToEnd = new Set<ServiceProcess>();
  let reaper: OrphanReaper | undefined;

  const keepLine =
    (name: string) =>
    (line: string): void => {
      const lines = logs.get(name) ?? [];
      logs.set(name, [...lines.slice(1 - keptLogLines), line]);
      options.onLine?.(name, line);
    };
  const spawn = (name: string, args: string[], admin: string, more: Readonly<Record<string, string>>): ServiceProcess =>
    startServiceProcess({
      name,
      args,
      cwd: root,
      env: { ...env, ...more },
      adminUrl: admin,
      onLine: keepLine(name),
      reaper: (reaper ??= startOrphanReaper()),
    });

  const setUp = async (): Promise<void> => {
    const setup = spawn('setup', ['services/cli/main.ts', 'setup'], '', {});
    const { code, signal } = await within('setup', setupTimeoutMs, setup.exited).finally(() => setup.kill('SIGKILL'));
    if (code !== 0) throw new Error(`setup ended with ${code ?? signal}`);
  };

  const launch = (name: ProcessName, more: Readonly<Record<string, string>> = {}): ServiceProcess => {
    if (running.has(name)) throw new Error(`${name} runs already`);
    const service = serviceOf(name);
    const { port } = new URL(publicUrl(name));
    const launched = spawn(name, [`services/${service}/main.ts`], adminUrl(name), {
      HOOKLINE_ADMIN_PORT: new URL(adminUrl(name)).port,
      ...(service === 'api' && { HOOKLINE_API_PORT: port }),
      ...(service === 'ingress' && { HOOKLINE_INGRESS_PORT: port }),
      ...options.envOf?.(name),
      ...more,
    });
    running.set(name, launched);
    void launched.exited.then(({ code, signal, atMs }) => {
      if (running.get(name) === launched) running.delete(name);
      if (expectedToEnd.has(launched)) return;
      const how = String(code ?? signal);
      if (!options.isSupervised) return void surprises.push(`${name} ended with ${how}`);
      restarts.push({ name, atMs, how });
      // At once it would meet what it has ended of.
      setTimeout(() => void (isStopping || running.has(name) || launch(name)), restartDelayMs);
    });
    return launched;
  };

  /** A supervised one that has just ended runs again soon. */
  const runningAs = async (name: ProcessName): Promise<ServiceProcess> => {
    if (options.isSupervised)
      await waitUntil(`${name} runs`, () => running.has(name), { timeoutMs: restartDelayMs + readyTimeoutMs });
    const found = running.get(name);
    if (found === undefined) throw new Error(`${name} does not run`);
    return found;
  };

  const stopService = async (name: ProcessName): Promise<Exit> => {
    const found = await runningAs(name);
    expectedToEnd.add(found);
    return found.stop(stopTimeoutMs);
  };

  const stopInOrder = async (name: ProcessName): Promise<void> => {
    const { code, signal } = await stopService(name);
    // What a supervised one waits for when it stops may be away.
    if (code !== 0 && !options.isSupervised) throw new Error(`${name} did not stop in order: ${code ?? signal}`);
  };

  const startService = async (name: ProcessName, more?: Readonly<Record<string, string>>): Promise<void> => {
    let launched = launch(name, more);
    const deadlineMs = performance.now() + readyTimeoutMs;
    for (;;) {
      try {
        return await launched.ready(deadlineMs - performance.now());
      } catch (error) {
        if (!options.isSupervised || performance.now() >= deadlineMs) throw error;
      }
      launched = await waitUntil(`${name} runs again`, () => running.get(name), { timeoutMs: readyTimeoutMs });
    }
  };

  const beginFault = (name: ProcessName, what: string, atMs = Date.now()): Fault => {
    const fault: Fault = { what, service: serviceOf(name), atMs, settledAtMs: Number.POSITIVE_INFINITY };
    faults.push(fault);
    return fault;
  };
  const endFaults = (ended: readonly Fault[]): void => {
    for (const fault of ended) fault.settledAtMs = Date.now() + settlingMs;
  };

  const dieAt = async (name: ProcessName, point: string): Promise<Exit> => {
    const deadlineMs = performance.now() + deathTimeoutMs;
    for (;;) {
      const armed = launch(name, { HOOKLINE_CRASH_POINT: point });
      expectedToEnd.add(armed);
      const exit = await within(`${name} dies at ${point}`, deadlineMs - performance.now(), armed.exited);
      // What it needed may have been away: a supervisor would start it again, and so it still is to die.
      if (exit.signal === 'SIGKILL' || !options.isSupervised) return exit;
      restarts.push({ name, atMs: exit.atMs, how: String(exit.code ?? exit.signal) });
      await delay(restartDelayMs);
    }
  };

  const describe = (): string =>
    [
      `topic prefix ${topicPrefix}, database ${new URL(databaseUrl).pathname.slice(1)}`,
      ...[...logs].map(([name, lines]) =>
        [`${name}:`, ...lines.slice(-shownLogLines).map((line) => line.slice(0, shownLineLength))].join('\n  '),
      ),
    ].join('\n');

  return {
    stack,
    redisUrl: servers.redisUrl,
    metricsUrl: (service) => `${adminUrl(service)}/metrics`,
    apiUrl: publicUrl,
    ingressUrl: publicUrl,
    processIds: () => Object.fromEntries([...running].map(([name, { pid }]) => [name, pid])),
    async start() {
      await setUp();
      await Promise.all((options.services ?? serviceNames).map((service) => startService(service)));
    },
    async stop() {
      isStopping = true;
      try {
        // All at once: each must end by itself, whichever of the others are gone.
        const exits = await Promise.all(
          [...running.keys()].map(async (name) => [name, await stopService(name)] as const),
        );
        return Object.fromEntries(exits);
      } finally {
        reaper?.stop();
        reaper = undefined;
      }
    },
    startService,
    stopService,
    async restartService(name) {
      const fault = beginFault(name, `SIGTERM of ${name}`);
      await stopInOrder(name);
      await startService(name);
      endFaults([fault]);
    },
    async killService(name, beforeRestart = async () => undefined) {
      const found = await runningAs(name);
      expectedToEnd.add(found);
      found.kill('SIGKILL');
      const { atMs } = await found.exited;
      const fault = beginFault(name, `SIGKILL of ${name}`, atMs);
      await beforeRestart();
      await startService(name);
      endFaults([fault]);
    },
    async freezeService(name, meanwhile) {
      const found = await runningAs(name);
      const fault = beginFault(name, `SIGSTOP of ${name}`);
      found.kill('SIGSTOP');
      await meanwhile().finally(() => found.kill('SIGCONT'));
      endFaults([fault]);
    },
    async killAlong(kills, beforeRestart = async () => undefined, only) {
      const services = [...new Set(kills.map(({ point }) => serviceOfPoint(point)))];
      const [service] = services;
      if (service === undefined || services.length > 1) throw new Error('these crash points are not of one service');
      const name = only ?? service;
      const own = [beginFault(name, `SIGTERM of ${name}`)];
      await stopInOrder(name);
      const exits: Exit[] = [];
      for (const { point, turn } of kills) {
        const exit = await dieAt(name, `${point}@${turn}`);
        own.push(beginFault(name, `${point}@${turn}`, exit.atMs));
        exits.push(exit);
        await beforeRestart();
      }
      await startService(name);
      endFaults(own);
      return exits;
    },
    faults,
    restarts,
    assertNoSurprise() {
      if (surprises.length > 0) throw new Error(surprises.join('\n'));
    },
    describe,
  };
}

export function serviceOf(name: ProcessName): ServiceName {
  const service = serviceNames.find((known) => name === known || name.startsWith(`${known}-`));
  if (service === undefined) throw new Error(`no service is called ${name}`);
  return service;
}

/** Parts of services that have crash points of their own. */
const serviceOfPart: Readonly<Record<string, ServiceName>> = {
  'fan-out': 'dispatcher',
  replay: 'dispatcher',
  idempotency: 'api',
  outbox: 'api',
};

function serviceOfPoint(point: CrashPointName): ServiceName {
  const [part = ''] = point.split('.');
  const service = serviceNames.find((name) => name === (serviceOfPart[part] ?? part));
  if (service === undefined) throw new Error(`no service has the crash point ${point}`);
  return service;
}
