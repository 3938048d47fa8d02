/** What every service's main.ts does: configuration, log, metrics, traces, the admin server, crash points, and the life of the process. */
import { randomUUID } from 'node:crypto';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Clock, systemClock } from '#lib/clock';
import { type ConfigOf, describeConfig, type Fields, type serviceFields } from '#lib/config';
import { type CrashPoints, createCrashPoints } from '#lib/crash-points';
import { AppError } from '#lib/errors';
import { type Part, runService } from '#lib/lifecycle';
import { createLogger, type Logger } from '#lib/log';
import { createAdminServer, createTracing, type Tracer, traceSettings } from '#lib/telemetry';
import { measureService } from './metrics.ts';
import { readVersion } from './version.ts';

export interface ServiceContext {
  log: Logger;
  clock: Clock;
  metrics: Registry;
  tracer: Tracer;
  crashPoints: CrashPoints;
  /** For what can't go on by itself (a crashed consumer): the process stops in order and exits 1, so that its supervisor starts it anew. */
  fail(error: Error): void;
}

export interface ServiceDefinition<F extends Fields & ReturnType<typeof serviceFields>> {
  name: string;
  fields: F;
  /** Reads and checks the environment. */
  loadConfig(): ConfigOf<F>;
  /** The service's parts, leaves first: they start in this order and stop in reverse. */
  build(config: ConfigOf<F>, context: ServiceContext): readonly Part[];
}

/** Between two looks at how late the event loop is. prom-client’s 10 ms turn a loop a hundred times a second that has nothing to do. */
const loopLookMs = 100;
/** For the last spans, where the collector is slow or away. */
const closeTracingMs = 3_000;
/** Of the time for stopping, what is kept for the end of the process. */
const endReserveMs = 250;

export async function hostService<F extends Fields & ReturnType<typeof serviceFields>>(
  service: ServiceDefinition<F>,
): Promise<void> {
  try {
    const config = service.loadConfig();
    await host(service, config);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'config_invalid') throw error;
    process.stderr.write(
      `hookline ${service.name}: the configuration is not valid\n${error.message.replace(/^/gm, '  ')}\n`,
    );
    process.exit(2);
  }
}

async function host<F extends Fields & ReturnType<typeof serviceFields>>(
  service: ServiceDefinition<F>,
  config: ConfigOf<F>,
): Promise<void> {
  // The type parameter hides the common fields from the compiler; every F has them.
  const common = config as ConfigOf<ReturnType<typeof serviceFields>>;
  const log = createLogger({ service: service.name, level: common.logLevel });
  let isRunning = false;
  let parts: readonly Part[] = [];
  const isReady = (): boolean => isRunning && parts.every((part) => part.isReady?.() ?? true);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: loopLookMs });
  const version = readVersion();
  measureService(metrics, { version, isReady });
  const failure = Promise.withResolvers<Error>();

  log.info({ event: 'service.starting', config: describeConfig(service.fields, config) });
  if (common.crashPoint !== '') log.warn({ event: 'crash_point.armed', crashPoint: common.crashPoint });

  let stoppingSinceMs: number | undefined;
  const tracing = await createTracing({
    settings: traceSettings(common, { service: service.name, version, instanceId: randomUUID() }),
    metrics,
    clock: systemClock,
    log,
    closeWithinMs() {
      const spentMs = stoppingSinceMs === undefined ? 0 : systemClock.monotonicMs() - stoppingSinceMs;
      return Math.min(closeTracingMs, common.shutdownTimeoutMs - spentMs - endReserveMs);
    },
  });
  const admin = createAdminServer({ host: common.host, port: common.adminPort, metrics, isReady });
  parts = service.build(config, {
    log,
    clock: systemClock,
    metrics,
    tracer: tracing.tracer,
    crashPoints: createCrashPoints(common.crashPoint),
    fail: failure.resolve,
  });
  await runService({
    parts: [tracing.part, admin, ...parts],
    log,
    clock: systemClock,
    shutdownTimeoutMs: common.shutdownTimeoutMs,
    setReady(value) {
      isRunning = value;
      if (!value) stoppingSinceMs = systemClock.monotonicMs();
    },
    failed: failure.promise,
  });
}
