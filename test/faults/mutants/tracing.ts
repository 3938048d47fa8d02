import type { Mutant } from './mutant.ts';

const unit = (test: string, title: string, edit: Mutant['edits'][number], name: string): Mutant => ({
  name,
  edits: [edit],
  byDay: { test: `test/unit/${test}.test.ts`, title },
  budgetSeconds: 60,
});

/** Mutants of traces: ways to break one in two, to tell of a wrong time, to tell too much, and to be in the way of the work. */
export const tracingMutants: readonly Mutant[] = [
  unit(
    'dispatcher/traced-attempts',
    'every attempt is a span of the delivery’s one trace',
    {
      in: 'startAttemptSpan',
      replace: 'tracer.start($span, $parent)',
      with: 'tracer.start($span, attempt > 1 ? undefined : $parent)',
    },
    'begins a trace with each retry',
  ),
  unit(
    'dispatcher/traced-attempts',
    'which the receiver is told',
    { in: 'createAttempt', never: '$span.isRecorded' },
    'tells the receiver of a span that nobody exports',
  ),
  unit(
    'kafka/trace-records',
    'a span lasts until its record is done',
    {
      in: 'traceRecords',
      replace: '($records, $signal) => handle($records.map(traced), $signal)',
      with: `async ($records, $signal) => {
    const batch = $records.map(traced);
    await handle(batch, $signal);
    for (const { span } of batch) span?.end();
  }`,
    },
    'ends a consumer’s span when its handler returns',
  ),
  unit(
    'kafka/trace-records',
    'the handler finds the span in the header',
    { in: 'withSpan.headers', value: 'record.headers' },
    'hands on the context of the stage before',
  ),
  unit(
    'kafka/trace-send',
    'linked to those of the others',
    { in: 'createSdkTracer.startBatch', replace: 'others.map($link)', with: '[]' },
    'leaves the links of a flush out',
  ),
  unit(
    'telemetry/tracer',
    'of which none is sampled is no span',
    {
      in: 'sampledContexts',
      replace: 'if ($context === undefined || ($context.traceFlags & TraceFlags.SAMPLED) === 0) continue;',
      with: `if ($context === undefined) continue;
    $context.traceFlags |= TraceFlags.SAMPLED;`,
    },
    'records a batch of which nobody samples anything',
  ),
  unit(
    'ingress/traced-requests',
    'carries the span of its request',
    { in: 'startRequestSpan', replace: `$url?.split('?', 1)[0]`, with: '$url' },
    'tells the query of a request in its span',
  ),
  unit(
    'telemetry/span-pipeline',
    'spans that find no room are dropped and counted',
    { in: 'createSpanPipeline.onEnd', never: 'queued >= maxQueued' },
    'drops spans without counting them',
  ),
  unit(
    'telemetry/tracing',
    'a collector that hangs is waited for',
    { in: 'createTracing.close', replace: 'Promise.race([$closed, limit])', with: '$closed' },
    'waits at the stop for a collector that hangs',
  ),
  unit(
    'telemetry/open-metrics',
    'gets what there was before',
    { in: 'openMetricsOf', replace: 'Object.create($metric, $names)', with: '$metric' },
    'renames counters for those who want the plain format',
  ),
  {
    name: 'reads a waiting row without its trace',
    edits: [{ in: 'rowJob.traceparent', value: `''` }],
    byDay: { test: 'test/unit/dispatcher/waiting-rows.test.ts', title: 'comes back into its lane as the next step' },
    byNight: { test: 'test/e2e/traces.night.test.ts', title: 'is one, from the sender to the third attempt' },
    budgetSeconds: 240,
  },
];
