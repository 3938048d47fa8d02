import type { ExportedSpan } from '../../support/otlp/read-spans.ts';
import { faultsOfTree } from '../../support/otlp/span-tree.ts';

const root = { traceId: 'trace', parentSpanId: 'sender' };
const span = (spanId: string, parentSpanId: string, given: Partial<ExportedSpan> = {}): ExportedSpan => ({
  service: 's',
  traceId: 'trace',
  spanId,
  parentSpanId,
  name: spanId,
  kind: 'internal',
  startedAtNs: 0n,
  endedAtNs: 0n,
  attributes: {},
  links: [],
  isError: false,
  ...given,
});
const whole = [span('ingress', 'sender'), span('dedup', 'ingress'), span('attempt', 'dedup')];

test('spans whose parents lead to the sender are one tree', () => {
  expect(faultsOfTree(whole, root)).toEqual([]);
});

test.each([
  ['a retry that began a trace', [...whole, span('retry', '', { traceId: 'another' })], 's: retry is in trace another'],
  ['a retry without a parent in its trace', [...whole, span('retry', 'nobody')], 'parent that is not there: nobody'],
  ['two that belong to the sender', [...whole, span('fan-out', 'sender')], '2 roots: s: ingress, s: fan-out'],
  ['none that belongs to the sender', whole.slice(1), '0 roots'],
  ['a span that was exported twice', [...whole, span('attempt', 'dedup')], 'a span was exported twice'],
])('%s is told', (_what, spans, fault) => {
  expect(faultsOfTree(spans, root).join('\n')).toContain(fault);
});
