/**
 * The services as real processes, or in one (`processes: 'one'`), with a topic prefix, a database, a Redis database number and ports of their own, and a supervisor
 * that starts again what a test has killed.
 *
 * A service that ends without the test having asked for it is no fault but a failure: `assertNoSurprise` throws. Supervised ones are started
 * again instead, as a supervisor does.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { CrashPointName } from '#lib/runtime';
import type { Fault } from '../faults/checker/history.ts';
import { lostMembershipIn } from './lost-membership.ts';
import { createEnvironment, type EnvironmentOptions } from './pipeline-environment.ts';
import { type ProcessName, serviceOf, serviceOfPoint } from './process-names.ts';
import type { Exit } from './service-process.ts';
import { pipelineServices, type Stack } from './stack.ts';
import { createSupervisor, type Restart, restartDelayMs } from './supervisor.ts';
import { within } from './wait-until.ts';

export { type ProcessName, serviceOf } from './process-names.ts';
export type { Restart } from './supervisor.ts';

export interface PipelineOptions extends EnvironmentOptions {
  /** A process that ends by itself, or before it is ready, is started again. */
  isSupervised?: boolean;
  /** Where the programs are that are started from now on: another version. Default: this tree. */
  treeOf?(): string;
  /** Called for every line that a process logs. */
  onLine?(name: string, line: string): void;
}

/** A process is to die at this point's n-th passing. */
export interface PlannedKill {
  point: CrashPointName;
  turn: number;
}

export interface Pipeline {
  readonly stack: Stack;
  readonly redisUrl: string;
  metricsUrl(name: ProcessName): string;
  /** The URL of this process of the API; that of `api` is the stack's. */
  apiUrl(name: ProcessName): string;
  /** The same of the ingress. */
  ingressUrl(name: ProcessName): string;
  consoleUrl(name: ProcessName): string;
  /** Pids of all running processes; equal for those that share one. */
  processIds(): Record<string, number>;
  /** The process that it runs in, by name: its own, or one that it shares. */
  hostOf(name: ProcessName): string;
  /** Topics, migrations and schemas. */
  setUp(): Promise<void>;
  /** The same, then the services; resolves when all are ready. */
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
  /** Its clock is set by `meanwhile`, and right again in the end. */
  misleadService(name: ProcessName, what: string, meanwhile: () => Promise<void>): Promise<void>;
  /**
   * Has one service die at one crash point after the other: each successor is started with the next one armed, the last without any.
   * There must be work all the while. Resolves when the last one is ready, with how each of the others ended.
   *
   * @param beforeRestart what happens between a death and its successor's start
   * @param name which process of the service; its only one by default
   * @throws Error where a process does not end at its point in time
   */
  killAlong(kills: readonly PlannedKill[], beforeRestart?: () => Promise<void>, name?: ProcessName): Promise<Exit[]>;
  /**
   * The test's faults. A fault is over some time after the last successor is ready. With sessions shorter than production's, each lost membership
   * of a group is one too.
   */
  readonly faults: readonly Fault[];
  /** Under supervision: each process that ended by itself, with how. */
  readonly restarts: readonly Restart[];
  /** @throws Error if a service ended without being asked to */
  assertNoSurprise(): void;
  /** The prefix, and the last lines of every service's log. */
  describe(): string;
}

/** From an armed process's start: a group that has lost a member waits for it first, and on a busy machine a start alone takes half a minute. */
const deathTimeoutMs = 300_000;
/** After the last successor is ready: until what its predecessors had begun has been done again. */
const settlingMs = 5_000;
const keptLogLines = 500;
const shownLogLines = 12;
const shownLineLength = 300;

export const pause = (ms: number) => async (): Promise<void> => void (await delay(ms));

export async function createPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { servers, topicPrefix, databaseUrl, isSupervised = false } = options;
  const environment = await createEnvironment(options);
  const { stack, publicUrl, adminUrl } = environment;
  const logs = new Map<string, string[]>();
  const faults: Fault[] = [];
  const supervisor = createSupervisor({
    environment,
    isSupervised,
    treeOf: options.treeOf,
    onLine(name, line) {
      const lines = logs.get(name) ?? [];
      logs.set(name, [...lines.slice(1 - keptLogLines), line]);
      if (options.sessionTimeoutMs !== undefined) noteLostMembership(line);
      options.onLine?.(name, line);
    },
  });

  const noteLostMembership = (line: string): void => {
    const fault = lostMembershipIn(line, Date.now(), settlingMs);
    if (fault !== undefined) faults.push(fault);
  };

  const stopInOrder = async (name: ProcessName): Promise<void> => {
    const { code, signal } = await supervisor.stop(name);
    // A dependency that a supervised process waits for when it stops may be away.
    if (code !== 0 && !isSupervised) throw new Error(`${name} did not stop in order: ${code ?? signal}`);
  };

  /** A fault for each service that shares the process. */
  const beginFault = (name: ProcessName, what: string, more: Partial<Fault> = {}): Fault[] => {
    const common = { what, settledAtMs: Number.POSITIVE_INFINITY, atMs: Date.now(), ...more };
    const begun = environment.housing
      .housemates(name)
      .map((mate): Fault => ({ ...common, service: serviceOf(mate), process: mate }));
    faults.push(...begun);
    return begun;
  };
  const endFaults = (ended: readonly Fault[]): void => {
    for (const fault of ended) fault.settledAtMs = Date.now() + settlingMs;
  };

  const dieAt = async (name: ProcessName, point: string): Promise<Exit> => {
    const deadlineMs = performance.now() + deathTimeoutMs;
    for (;;) {
      const armed = supervisor.launch(name, { HOOKLINE_CRASH_POINT: point });
      supervisor.expectEnd(armed);
      const exit = await within(`${name} dies at ${point}`, deadlineMs - performance.now(), armed.exited);
      // A dependency may have been away: a supervisor would start it again, and so it still is to die.
      if (exit.signal === 'SIGKILL' || !isSupervised) return exit;
      supervisor.restarts.push({ name, atMs: exit.atMs, how: String(exit.code ?? exit.signal) });
      await delay(restartDelayMs);
    }
  };

  return {
    stack,
    redisUrl: servers.redisUrl,
    metricsUrl: (service) => `${adminUrl(service)}/metrics`,
    apiUrl: publicUrl,
    ingressUrl: publicUrl,
    consoleUrl: publicUrl,
    processIds: supervisor.processIds,
    hostOf: environment.housing.hostOf,
    setUp: supervisor.setUp,
    async start() {
      await supervisor.setUp();
      const { hostOf } = environment.housing;
      const firstOfEach = new Map((options.services ?? pipelineServices).map((name) => [hostOf(name), name]));
      await Promise.all(firstOfEach.values().map((name) => supervisor.start(name)));
    },
    stop: supervisor.stopAll,
    startService: supervisor.start,
    stopService: supervisor.stop,
    async restartService(name) {
      const fault = beginFault(name, `SIGTERM of ${name}`);
      await stopInOrder(name);
      await supervisor.start(name);
      endFaults(fault);
    },
    async killService(name, beforeRestart = async () => undefined) {
      const found = await supervisor.running(name);
      supervisor.expectEnd(found);
      found.kill('SIGKILL');
      const { atMs } = await found.exited;
      const fault = beginFault(name, `SIGKILL of ${name}`, { atMs, deadly: true });
      await beforeRestart();
      await supervisor.start(name);
      endFaults(fault);
    },
    async freezeService(name, meanwhile) {
      const found = await supervisor.running(name);
      const fault = beginFault(name, `SIGSTOP of ${name}`);
      found.kill('SIGSTOP');
      await meanwhile().finally(() => found.kill('SIGCONT'));
      endFaults(fault);
    },
    async misleadService(name, what, meanwhile) {
      const fault = beginFault(name, `${what} of ${name}`, { clock: true });
      await meanwhile();
      endFaults(fault);
    },
    async killAlong(kills, beforeRestart = async () => undefined, only) {
      const services = [...new Set(kills.map(({ point }) => serviceOfPoint(point)))];
      const [service] = services;
      if (service === undefined || services.length > 1) throw new Error('these crash points are not of one service');
      const name = only ?? service;
      const own = beginFault(name, `SIGTERM of ${name}`);
      await stopInOrder(name);
      const exits: Exit[] = [];
      for (const { point, turn } of kills) {
        const exit = await dieAt(name, `${point}@${turn}`);
        own.push(...beginFault(name, `${point}@${turn}`, { atMs: exit.atMs, deadly: true }));
        exits.push(exit);
        await beforeRestart();
      }
      await supervisor.start(name);
      endFaults(own);
      return exits;
    },
    faults,
    restarts: supervisor.restarts,
    assertNoSurprise() {
      const { surprises } = supervisor;
      if (surprises.length > 0) throw new Error(surprises.join('\n'));
    },
    describe: () =>
      [
        `topic prefix ${topicPrefix}, database ${new URL(databaseUrl).pathname.slice(1)}`,
        ...[...logs].map(([name, lines]) =>
          [`${name}:`, ...lines.slice(-shownLogLines).map((line) => line.slice(0, shownLineLength))].join('\n  '),
        ),
      ].join('\n'),
  };
}
