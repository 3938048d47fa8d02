/** The port on OpenTelemetry's API, with any implementation. */
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  type SpanContext,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as SdkTracer,
  type Span as SdkSpan,
} from '@opentelemetry/api';
import { attribute } from './attributes.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';
import { type Span, type Tracer, unrecorded, type Work } from './tracer.ts';

const kinds: Record<Work['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** The number of links that OpenTelemetry keeps on a span by default; the rest of a batch is only counted. */
export const maxLinks = 128;

export function createSdkTracer(sdk: Pick<SdkTracer, 'startSpan'>): Tracer {
  function start(work: Work, parent: SpanContext | undefined, links: Link[] = []): SdkSpan {
    return sdk.startSpan(work.name, { kind: kinds[work.kind], links }, contextOf(parent));
  }

  return {
    start(work, parent) {
      const context = parent === undefined ? undefined : parseTraceparent(parent);
      const span = start(work, context);
      return span.isRecording() ? recorded(span) : unrecorded(formatTraceparent(context ?? span.spanContext()));
    },
    startBatch(work, items, traceparentOf) {
      const [first, ...others] = sampledContexts(items, traceparentOf);
      if (first === undefined) return unrecorded('');
      const span = start(
        work,
        first,
        others.map((context) => ({ context })),
      );
      return span.isRecording() ? recorded(span) : unrecorded('');
    },
  };
}

const contextOf = (parent: SpanContext | undefined): Context =>
  parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });

function sampledContexts<T>(items: Iterable<T>, traceparentOf: (item: T) => string | undefined): SpanContext[] {
  const contexts = new Map<string, SpanContext>();
  for (const item of items) {
    const traceparent = traceparentOf(item);
    if (traceparent === undefined || contexts.has(traceparent)) continue;
    const context = parseTraceparent(traceparent);
    if (context === undefined || (context.traceFlags & TraceFlags.SAMPLED) === 0) continue;
    contexts.set(traceparent, context);
    if (contexts.size > maxLinks) break;
  }
  return [...contexts.values()];
}

function recorded(span: SdkSpan): Span {
  const context = span.spanContext();
  return {
    isRecorded: true,
    traceparent: formatTraceparent(context),
    exemplar: { trace_id: context.traceId, span_id: context.spanId },
    set: (attributes) => void span.setAttributes(attributes),
    fail: (type) => void span.setAttribute(attribute.errorType, type).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  };
}
