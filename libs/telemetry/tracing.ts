import type { Registry } from 'prom-client';
import { type Clock, createPart, type Logger, type Part } from '#lib/runtime';
import { type MetricTable, registerMetrics } from './metric-table.ts';
import { createSdkTracer } from './sdk-tracer.ts';
import type { SpanEnd } from './span-pipeline.ts';
import type { TraceSettings } from './trace-settings.ts';
import { noTracer, type Tracer } from './tracer.ts';

interface Options {
  /** Undefined if tracing is off: then OpenTelemetry's SDK is not loaded. */
  settings: TraceSettings | undefined;
  metrics: Registry;
  clock: Clock;
  log: Logger;
  /** Time that the stop leaves for sending the last spans. */
  closeWithinMs(): number;
}

export interface Tracing {
  tracer: Tracer;
  /** Starts first, so that parts which stop after it are not traced. */
  part: Part;
}

/**
 * The collector may be away, slow, or refuse: nothing waits for it, spans are counted, and one log line reports it until it accepts one
 * again.
 */
export async function createTracing({ settings, metrics, clock, log, closeWithinMs }: Options): Promise<Tracing> {
  const { spans } = registerMetrics(traceMetrics, metrics);
  if (settings === undefined) return { tracer: noTracer, part: tracingPart(async () => undefined) };

  let isAway = false;
  const onEnded = (end: SpanEnd, count: number, error?: Error): void => {
    spans.inc({ outcome: end }, count);
    if (end === 'failed' && !isAway) log.warn({ event: 'traces.not_exported', spans: count, reason: error?.message });
    if (end === 'exported' && isAway) log.info({ event: 'traces.exported_again' });
    if (end !== 'dropped') isAway = end === 'failed';
  };
  const { openSdk } = await import('./open-sdk.ts');
  const sdk = openSdk(settings, onEnded);

  const close = async (): Promise<void> => {
    const timedOut = new AbortController();
    const limit = clock.sleep(Math.max(0, closeWithinMs()), timedOut.signal);
    // Spans that it could not send have been reported by then.
    await Promise.race([sdk.close().catch(() => undefined), limit]);
    timedOut.abort();
  };
  return { tracer: createSdkTracer(sdk.tracer), part: tracingPart(close) };
}

const tracingPart = (close: () => Promise<void>): Part => createPart('tracing', async () => undefined, close);

export const traceMetrics = {
  spans: {
    kind: 'counter',
    name: 'hookline_trace_spans_total',
    help: 'Recorded spans by outcome: `exported`; `dropped`: the queue was full; `failed`: the collector did not accept the batch',
    unit: 'spans',
    labels: { outcome: ['exported', 'dropped', 'failed'] },
  },
} satisfies MetricTable;
