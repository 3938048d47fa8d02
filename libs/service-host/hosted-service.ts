/**
 * One service within a process. Its admin server, its traces and their metrics survive its failures. The parts that do its work are
 * rebuilt, with new metrics, as in a new process:
 *
 *   (its turn) ──► building ──► starting ──► running ──fails──► stopping ──► waiting ──► building …
 *                                   └──fails────────────────────────┘ └── given up: the process ends
 *   any ──stop──► stopped
 *
 * The policy decides what follows a failure: failure-policy.ts.
 */
import { randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { CreateProducer } from '#lib/kafka';
import {
  type Clock,
  type CrashPoints,
  createCrashPoints,
  groupParts,
  type Logger,
  type Part,
  type PartGroup,
  type ProcessBody,
} from '#lib/runtime';
import { createAdminServer, createTracing, Metrics, traceSettings } from '#lib/telemetry';
import type { Failure, FailurePolicy } from './failure-policy.ts';
import { measureService, mergeRegistries } from './metrics.ts';
import type { LoadedService } from './service-definition.ts';

interface Options {
  service: LoadedService;
  version: string;
  processMetrics: Registry;
  clock: Clock;
  log: Logger;
  policy: FailurePolicy;
  createProducer: CreateProducer;
  /** Before it is built for the first time. */
  turn?: Promise<unknown>;
  /** It can't be rebuilt: the process has to end. */
  onGivenUp(error: Error): void;
}

/** Time for the last spans if the collector is slow or away. */
const closeTracingMs = 3_000;
/** Part of the time for stopping that is kept for the end of the process. */
const endReserveMs = 250;

export interface HostedService extends ProcessBody {
  /** Resolves once it has started, or failed to. */
  readonly settled: Promise<void>;
}

export async function createHostedService(options: Options): Promise<HostedService> {
  const { service, version, processMetrics, clock, log, policy, createProducer, turn, onGivenUp } = options;
  const { name, common } = service;
  let isRunning = false;
  let parts: readonly Part[] = [];
  let group: PartGroup | undefined;
  let stoppingSinceMs: number | undefined;
  const stopping = new AbortController();
  const settled = Promise.withResolvers<void>();
  const instance = randomUUID();
  const isReady = (): boolean => isRunning && parts.every((part) => part.isReady?.() ?? true);

  log.info({ event: 'service.starting', config: service.settings });
  const lasting = new Metrics();
  const rebuilds = measureService(lasting, { version, isReady });
  const tracing = await createTracing({
    settings: traceSettings(common, { service: name, version, instanceId: instance }),
    metrics: lasting,
    clock,
    log,
    closeWithinMs() {
      const spentMs = stoppingSinceMs === undefined ? 0 : clock.monotonicMs() - stoppingSinceMs;
      return Math.min(closeTracingMs, common.shutdownTimeoutMs - spentMs - endReserveMs);
    },
  });
  const newMetrics = (): Registry => mergeRegistries([processMetrics, lasting]);
  let metrics = newMetrics();
  const admin = createAdminServer({ host: common.host, port: common.adminPort, metrics: () => metrics, isReady });
  const frame = groupParts([tracing.part, admin], log);
  const about = { service: name, instance, version, startedAtMs: clock.nowMs(), isReady };
  const crashPoints = armed(common.crashPoint, log);
  const context = { log, clock, tracer: tracing.tracer, crashPoints, createProducer, about };
  let living: Promise<void> = Promise.resolve();

  /** Resolves with the reason of its failure, while its started parts still run. Undefined: it has to stop. */
  async function runOnce(): Promise<Failure | undefined> {
    const failed = Promise.withResolvers<Error>();
    let isStart = true;
    try {
      metrics = newMetrics();
      parts = service.build({ ...context, metrics, fail: failed.resolve });
      const built = groupParts(parts, log);
      group = built;
      const starting = built.start().then(() => {
        isStart = false;
      });
      await Promise.race([starting, failed.promise.then((error) => Promise.reject(error)), stopRequested]);
      if (stopping.signal.aborted) return undefined;
      isRunning = true;
      settled.resolve();
      policy.started();
      log.info({ event: 'service.ready' });
      const error = await Promise.race([failed.promise, stopRequested]);
      return error === undefined ? undefined : { error, isStart };
    } catch (error) {
      return stopping.signal.aborted ? undefined : { error: error as Error, isStart };
    }
  }

  /** No rounds: what follows a life, and when, depends on how it ended. */
  async function live(): Promise<void> {
    await Promise.race([turn, stopRequested]);
    while (!stopping.signal.aborted) {
      const failure = await runOnce();
      settled.resolve();
      if (failure === undefined) return;
      isRunning = false;
      const verdict = policy.decide(failure);
      if (verdict === 'end the process') return onGivenUp(failure.error);
      const inMs = Math.round(verdict.rebuildAfterMs);
      log.error({ event: 'service.rebuilding', inMs, duringStart: failure.isStart, err: failure.error });
      if (!(await isStoppedInTime())) {
        const left = (group?.stillRunning() ?? []).join(', ');
        return onGivenUp(new Error(`${name} failed and could not be stopped: ${left}`, { cause: failure.error }));
      }
      await clock.sleep(verdict.rebuildAfterMs, stopping.signal);
      if (stopping.signal.aborted) return;
      rebuilds.inc();
    }
  }

  async function isStoppedInTime(): Promise<boolean> {
    const stopped = new AbortController();
    const limit = clock.sleep(common.shutdownTimeoutMs, stopped.signal).then(() => false);
    try {
      return await Promise.race([(group?.stop() ?? Promise.resolve()).then(() => true), limit]);
    } finally {
      stopped.abort();
    }
  }

  const stopRequested = new Promise<undefined>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

  return {
    settled: settled.promise,
    async start() {
      await frame.start();
      living = live();
    },
    makeUnready() {
      isRunning = false;
      stoppingSinceMs ??= clock.monotonicMs();
    },
    async stop() {
      stopping.abort();
      await group?.stop();
      await living;
      await frame.stop();
    },
    stillRunning: () => [...frame.stillRunning(), ...(group?.stillRunning() ?? [])],
  };
}

function armed(crashPoint: string, log: Logger): CrashPoints {
  if (crashPoint !== '') log.warn({ event: 'crash_point.armed', crashPoint });
  return createCrashPoints(crashPoint);
}
