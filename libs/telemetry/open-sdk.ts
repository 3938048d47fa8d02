/** Sets up OpenTelemetry's SDK. Loaded with `import()`, only if tracing is on. */
import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { createSampler, createSpanPipeline, type SpanEnd } from './span-pipeline.ts';
import type { TraceSettings } from './trace-settings.ts';

type ExporterOptions = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;

export interface Sdk {
  tracer: Tracer;
  /** Exports the queue; resolves when that has succeeded or failed. */
  close(): Promise<void>;
}

const scope = 'hookline';

export function openSdk(settings: TraceSettings, onEnded: (end: SpanEnd, spans: number, error?: Error) => void): Sdk {
  const { url, headers, compression, timeoutMs, maxQueued, delayMs, resource } = settings;
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    compression: compression as ExporterOptions['compression'] & string,
    timeoutMillis: timeoutMs,
  });
  const pipeline = createSpanPipeline({ exporter, maxQueued, delayMs, timeoutMs, onEnded });
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ ...resource })),
    sampler: createSampler(settings),
    spanProcessors: [pipeline],
  });
  return { tracer: provider.getTracer(scope, settings.resource['service.version']), close: () => provider.shutdown() };
}
