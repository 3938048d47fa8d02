import type { TracingConfig } from '#lib/config';

/** The destination and choice of traces, from the variables of the OpenTelemetry specification. */
export interface TraceSettings {
  url: string;
  headers: Readonly<Record<string, string>>;
  compression: 'none' | 'gzip';
  timeoutMs: number;
  sampler: TracingConfig['tracesSampler'];
  /** The part that a `traceidratio` records. */
  ratio: number;
  resource: Readonly<Record<string, string>>;
  maxQueued: number;
  delayMs: number;
}

const defaultEndpoint = 'http://localhost:4318';

interface Process {
  /** As in `services/`. */
  service: string;
  version: string;
  instanceId: string;
}

/** Undefined if tracing is off. */
export function traceSettings(config: TracingConfig, process: Process): TraceSettings | undefined {
  const isNamed = config.otlpEndpoint !== '' || config.otlpTracesEndpoint !== '';
  const isWanted = config.tracesExporter === 'otlp' || (config.tracesExporter === '' && isNamed);
  if (config.tracesDisabled || !isWanted) return undefined;
  return {
    url: config.otlpTracesEndpoint || `${(config.otlpEndpoint || defaultEndpoint).replace(/\/+$/, '')}/v1/traces`,
    headers: { ...config.otlpHeaders, ...config.otlpTracesHeaders },
    compression: config.otlpCompression,
    timeoutMs: config.otlpTimeoutMs,
    sampler: config.tracesSampler,
    ratio: config.tracesSamplerArg === '' ? 1 : Number(config.tracesSamplerArg),
    resource: {
      'service.version': process.version,
      'service.instance.id': process.instanceId,
      ...config.tracesResource,
      'service.name':
        config.tracesServiceName || config.tracesResource['service.name'] || `hookline-${process.service}`,
    },
    maxQueued: config.tracesMaxQueued,
    delayMs: config.tracesDelayMs,
  };
}
