import type { Registry } from 'prom-client';
import type { Clock } from '#lib/clock';
import { type ConfigOf, describeConfig, type Fields, type serviceFields } from '#lib/config';
import type { CrashPoints } from '#lib/crash-points';
import type { Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import type { Tracer } from '#lib/telemetry';

export interface ServiceContext {
  log: Logger;
  clock: Clock;
  metrics: Registry;
  tracer: Tracer;
  crashPoints: CrashPoints;
  /**
   * For what can't go on by itself (a crashed consumer): the service is stopped in order. Alone in its process it ends that with exit 1, so
   * that its supervisor starts it anew; among others it is built anew by itself.
   */
  fail(error: Error): void;
}

type ServiceFields = Fields & ReturnType<typeof serviceFields>;

export interface ServiceDefinition<F extends ServiceFields> {
  name: string;
  fields: F;
  /** Reads and checks the environment. */
  loadConfig(): ConfigOf<F>;
  /** The service's parts, leaves first: they start in this order and stop in reverse. Called again where the service is built anew. */
  build(config: ConfigOf<F>, context: ServiceContext): readonly Part[];
}

/** A service with its settings, whatever fields it has. */
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
