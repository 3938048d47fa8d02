import { type MetricTable } from './metric-table.ts';

export const traceMetrics = {
  spans: {
    kind: 'counter',
    name: 'hookline_trace_spans_total',
    help: 'Recorded spans by outcome: `exported`; `dropped`: the queue was full; `failed`: the collector did not accept the batch',
    unit: 'spans',
    labels: { outcome: ['exported', 'dropped', 'failed'] },
  },
} satisfies MetricTable;
