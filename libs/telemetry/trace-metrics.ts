import { type MetricTable } from './metric-table.ts';

export const traceMetrics = {
  spans: {
    kind: 'counter',
    name: 'hookline_trace_spans_total',
    help: 'Spans that were recorded: `exported`, `dropped` because too many waited, `failed` with a batch that the collector did not take',
    unit: 'spans',
    labels: { outcome: ['exported', 'dropped', 'failed'] },
  },
} satisfies MetricTable;
