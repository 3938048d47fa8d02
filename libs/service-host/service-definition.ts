import type { Registry } from 'prom-client';
import { type ConfigOf, describeConfig, type Fields, type serviceFields } from '#lib/config';
import type { CreateProducer } from '#lib/kafka';
import type { Clock, CrashPoints, Logger, Part } from '#lib/runtime';
import type { Tracer } from '#lib/telemetry';

export interface ServiceContext {
  log: Logger;
  clock: Clock;
  metrics: Registry;
  tracer: Tracer;
  crashPoints: CrashPoints;
  /** Opens a producer that may share connections with those of the other services in the process; absent where it has no host. */
  createProducer?: CreateProducer;
  /** The running service, for who asks which there are; absent where it has no host. */
  about?: RunningService;
  /**
   * For a failure that the service can't recover from (a crashed consumer): it is stopped in order. A process with one service then exits
   * with 1, so that its supervisor restarts it; among several, the service is rebuilt alone.
   */
  fail(error: Error): void;
}

interface RunningService {
  service: string;
  /** Names it among all others, its rebuilds included. */
  instance: string;
  version: string;
  startedAtMs: number;
  isReady(): boolean;
}

type ServiceFields = Fields & ReturnType<typeof serviceFields>;

export interface ServiceDefinition<F extends ServiceFields> {
  name: string;
  fields: F;
  /** Reads and checks the environment. */
  loadConfig(): ConfigOf<F>;
  /** The service's parts, leaves first: they start in this order and stop in reverse. Called again for each rebuild. */
  build(config: ConfigOf<F>, context: ServiceContext): readonly Part[];
}

/** A service with its settings, of any fields. */
export interface LoadedService {
  name: string;
  common: ConfigOf<ReturnType<typeof serviceFields>>;
  /** The effective settings as they are logged, without secrets. */
  settings: Record<string, unknown>;
  build(context: ServiceContext): readonly Part[];
}

/** @throws AppError config_invalid */
export function loadService<F extends ServiceFields>(service: ServiceDefinition<F>): LoadedService {
  const config = service.loadConfig();
  return {
    name: service.name,
    common: config,
    settings: describeConfig(service.fields, config),
    build: (context) => service.build(config, context),
  };
}
