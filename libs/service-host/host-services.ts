/** The set-up common to all processes of services: settings, log, metrics, traces, admin servers, crash points, and the process's life. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fields, serviceFields } from '#lib/config';
import { createProducer, createProducerPool } from '#lib/kafka';
import { createLogger, openLogOutput } from '#lib/log';
import { AppError, isAppError, type ProcessBody, runProcess, systemClock } from '#lib/runtime';
import { createFailurePolicy, endTheProcess } from './failure-policy.ts';
import { createHostedService, type HostedService } from './hosted-service.ts';
import { measureProcess } from './metrics.ts';
import { type LoadedService, loadService, type ServiceDefinition } from './service-definition.ts';

/** Runs one service as a process. With invalid settings it says so, and exits with 2. */
export async function hostService<F extends Fields & ReturnType<typeof serviceFields>>(
  service: ServiceDefinition<F>,
): Promise<void> {
  let loaded: LoadedService;
  try {
    loaded = loadService(service);
  } catch (error) {
    if (!isAppError(error, 'config_invalid')) throw error;
    process.stderr.write(
      `hookline ${service.name}: the configuration is not valid\n${error.message.replace(/^/gm, '  ')}\n`,
    );
    process.exit(2);
  }
  await host(service.name, [loaded]);
}

/**
 * How long the service that starts last waits for the others. One of them may wait for a dependency without limit, and senders must get
 * answers meanwhile.
 */
const turnMs = 10_000;

/**
 * Several services in one process, each with its own log, metrics, readiness and admin server. A failed service is rebuilt alone.
 *
 * @param load loads one service with its settings
 * @param last the name of the service that starts after the others: its answers have a time limit, and starting takes processor time
 * @throws AppError config_invalid with the problems of all services, each once: most settings are shared
 */
export async function hostServices(
  name: string,
  load: readonly (() => LoadedService)[],
  { last }: { last?: string } = {},
): Promise<never> {
  const problems = new Set<string>();
  const services = load.flatMap((loadOne) => {
    try {
      return [loadOne()];
    } catch (error) {
      if (!isAppError(error, 'config_invalid')) throw error;
      for (const line of error.message.split('\n')) problems.add(line);
      return [];
    }
  });
  if (problems.size > 0) throw new AppError('config_invalid', [...problems].join('\n'));
  return host(name, services, last);
}

async function host(name: string, services: readonly LoadedService[], last?: string): Promise<never> {
  const [first] = services;
  if (first === undefined) throw new AppError('bug', 'a process of no service');
  // All services share these, since they read one environment.
  const { logLevel, shutdownTimeoutMs } = first.common;
  const clock = systemClock;
  const output = openLogOutput({ clock });
  const isAlone = services.length === 1;
  const log = createLogger({ service: name, level: logLevel }, output);
  const failed = Promise.withResolvers<Error>();
  const processMetrics = measureProcess();
  const producers = createProducerPool({ clientId: `hookline-${name}`, log });
  const version = readVersion();
  const bodies: HostedService[] = [];
  const others = Promise.withResolvers<void>();
  for (const service of services) {
    bodies.push(
      await createHostedService({
        service,
        version,
        processMetrics,
        clock,
        ...(service.name === last && { turn: Promise.race([others.promise, clock.sleep(turnMs)]) }),
        log: createLogger({ service: service.name, level: logLevel }, output),
        policy: isAlone ? endTheProcess : createFailurePolicy(clock, Math.random),
        createProducer: isAlone ? createProducer : producers,
        onGivenUp: failed.resolve,
      }),
    );
  }
  void Promise.all(bodies.filter((_, index) => services[index]?.name !== last).map(({ settled }) => settled)).then(() =>
    others.resolve(),
  );
  return runProcess({
    body: together(services, bodies),
    log,
    clock,
    shutdownTimeoutMs,
    failed: failed.promise,
  });
}

/**
 * Stops all services at once, like separate processes: they communicate only through Kafka, so each can drain and close in its own order
 * without the others, within one deadline. All are unready before the first begins to stop.
 */
function together(services: readonly LoadedService[], bodies: readonly ProcessBody[]): ProcessBody {
  const each = async (work: (body: ProcessBody) => Promise<void>): Promise<void> =>
    void (await Promise.all(bodies.map(work)));
  return {
    start: () => each((body) => body.start()),
    makeUnready: () => bodies.forEach((body) => body.makeUnready()),
    stop: () => each((body) => body.stop()),
    stillRunning: () =>
      bodies.flatMap((body, index) =>
        body.stillRunning().map((part) => (bodies.length === 1 ? part : `${services[index]?.name}: ${part}`)),
      ),
  };
}

/** Hookline's version, from its package.json. */
function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
