import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Tracer } from '#lib/telemetry';
import { createSdkTracer } from '../../../libs/telemetry/sdk-tracer.ts';
import { createSampler } from '../../../libs/telemetry/span-pipeline.ts';
import type { TraceSettings } from '../../../libs/telemetry/trace-settings.ts';

export interface RecordingTracer {
  tracer: Tracer;
  /** Spans that have ended. */
  spans(): ReadableSpan[];
}

/** The tracer that services have, over the SDK’s own memory in the collector’s place. */
export function createRecordingTracer(
  settings: Partial<Pick<TraceSettings, 'sampler' | 'ratio'>> = {},
): RecordingTracer {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({
    sampler: createSampler({ sampler: 'parentbased_always_on', ratio: 1, ...settings }),
    spanProcessors: [new SimpleSpanProcessor({ exporter: memory })],
  });
  return { tracer: createSdkTracer(provider.getTracer('test')), spans: () => memory.getFinishedSpans() };
}
