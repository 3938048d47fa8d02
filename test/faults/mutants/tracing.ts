import type { Mutant } from './mutant.ts';

const unit = (test: string, title: string, edit: Mutant['edits'][number], name: string): Mutant => ({
  name,
  edits: [edit],
  check: { test: `test/unit/${test}.test.ts`, title },
  budgetSeconds: 60,
});

/** Mutants of traces: ways to break one in two, to tell of a wrong time, to tell too much, and to be in the way of the work. */
export const tracingMutants: readonly Mutant[] = [
  unit(
    'dispatcher/traced-attempts',
    'every attempt is a span of the delivery’s one trace',
    {
      file: 'services/dispatcher/send/trace-attempt.ts',
      find: `name: endpoint.method }, delivery.traceparent);`,
      replace: `name: endpoint.method }, attempt > 1 ? undefined : delivery.traceparent);`,
    },
    'begins a trace with each retry',
  ),
  unit(
    'dispatcher/traced-attempts',
    'which the receiver is told',
    {
      file: 'services/dispatcher/send/attempt.ts',
      find: `span.isRecorded ? span.traceparent : childTraceparent(delivery.traceparent)`,
      replace: `childTraceparent(delivery.traceparent)`,
    },
    'tells the receiver of a span that nobody exports',
  ),
  unit(
    'kafka/trace-records',
    'a span lasts until its record is done',
    {
      file: 'libs/kafka/consuming/trace-records.ts',
      find: `  return (records, signal) => handle(records.map(traced), signal);`,
      replace: `  return async (records, signal) => {
    const batch = records.map(traced);
    await handle(batch, signal);
    for (const { span } of batch) span?.end();
  };`,
    },
    'ends a consumer’s span when its handler returns',
  ),
  unit(
    'kafka/trace-records',
    'the handler finds the span in the header',
    {
      file: 'libs/kafka/consuming/trace-records.ts',
      find: `{ ...record.headers, [header.traceparent]: span.traceparent }`,
      replace: `record.headers`,
    },
    'hands on the context of the stage before',
  ),
  unit(
    'kafka/trace-send',
    'linked to those of the others',
    {
      file: 'libs/telemetry/sdk-tracer.ts',
      find: `        others.map((context) => ({ context })),`,
      replace: `        [],`,
    },
    'leaves the links of a flush out',
  ),
  unit(
    'telemetry/tracer',
    'of which none is sampled is no span',
    {
      file: 'libs/telemetry/sdk-tracer.ts',
      find: `if (context === undefined || (context.traceFlags & TraceFlags.SAMPLED) === 0) continue;`,
      replace: `if (context === undefined) continue;
    context.traceFlags |= TraceFlags.SAMPLED;`,
    },
    'records a batch of which nobody samples anything',
  ),
  unit(
    'ingress/traced-requests',
    'carries the span of its request',
    {
      file: 'services/ingress/receiving/trace-request.ts',
      find: `request.raw.url?.split('?', 1)[0]`,
      replace: `request.raw.url`,
    },
    'tells the query of a request in its span',
  ),
  unit(
    'telemetry/span-pipeline',
    'spans that find no room are dropped and counted',
    {
      file: 'libs/telemetry/span-pipeline.ts',
      find: `      if (queued >= maxQueued) return onEnded('dropped', 1);`,
      replace: ``,
    },
    'drops spans without counting them',
  ),
  unit(
    'telemetry/tracing',
    'a collector that hangs is waited for',
    {
      file: 'libs/telemetry/tracing.ts',
      find: `await Promise.race([sdk.close().catch(() => undefined), limit]);`,
      replace: `await sdk.close().catch(() => undefined);`,
    },
    'waits at the stop for a collector that hangs',
  ),
  unit(
    'telemetry/open-metrics',
    'gets what there was before',
    {
      file: 'libs/telemetry/open-metrics.ts',
      find: `Object.create(metric, { name: { value: metric.name, writable: true } }) as Metric`,
      replace: `metric as Metric`,
    },
    'renames counters for those who want the plain format',
  ),
  {
    name: 'reads a waiting row without its trace',
    edits: [
      {
        file: 'services/dispatcher/model/row-job.ts',
        find: `traceparent: content.traceparent,`,
        replace: `traceparent: '',`,
      },
    ],
    check: { test: 'test/e2e/traces.night.test.ts', title: 'is one, from the sender to the third attempt' },
    budgetSeconds: 240,
  },
];
