/**
 * The path of ended spans to the collector:
 *
 *   ended ─► waiting, limited in number ─► a batch, one at a time ─► exported
 *      └► dropped: no room                  └► failed: not accepted in time
 *
 * Nothing waits for it, and the spans of a failed batch are not retried: each span has one of the three ends, and is counted.
 */
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TraceSettings } from './trace-settings.ts';

export type SpanEnd = 'exported' | 'dropped' | 'failed';

interface Options {
  exporter: SpanExporter;
  maxQueued: number;
  delayMs: number;
  /** Time after which the exporter gives a batch up. */
  timeoutMs: number;
  onEnded(end: SpanEnd, spans: number, error?: Error): void;
}

const maxBatch = 512;
/** The exporter keeps its own time; this is for one that does not. */
const graceMs = 1_000;

/** The SDK's processor, which does not report its drops, behind a limit of our own. */
export function createSpanPipeline({ exporter, maxQueued, delayMs, timeoutMs, onEnded }: Options): SpanProcessor {
  let queued = 0;
  const counting: SpanExporter = {
    export(spans, done) {
      queued -= spans.length;
      exporter.export(spans, (result) => {
        // ExportResultCode.SUCCESS
        if ((result.code as number) === 0) onEnded('exported', spans.length);
        else onEnded('failed', spans.length, result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({
    exporter: counting,
    maxQueueSize: maxQueued,
    maxExportBatchSize: Math.min(maxBatch, maxQueued),
    scheduledDelayMillis: delayMs,
    exportTimeoutMillis: timeoutMs + graceMs,
  });
  return {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd(span: ReadableSpan) {
      if (queued >= maxQueued) return onEnded('dropped', 1);
      queued += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

/** As the specification names them. */
export function createSampler({ sampler, ratio }: Pick<TraceSettings, 'sampler' | 'ratio'>): Sampler {
  const roots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const name = sampler.replace('parentbased_', '') as keyof typeof roots;
  const root = roots[name]();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
