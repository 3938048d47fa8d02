import { collectDefaultMetrics } from 'prom-client';
import { Metrics, type MetricTable, observe, registerMetrics, whenRead } from '#lib/telemetry';
import { asksForOpenMetrics, openMetricsOf } from '../../../libs/telemetry/open-metrics.ts';

const table = {
  took: {
    kind: 'histogram',
    name: 'hookline_took_seconds',
    help: 'Took',
    unit: 'seconds',
    labels: { route: 'the routes' },
    buckets: [0.5, 2],
    exemplars: true,
  },
  ends: { kind: 'counter', name: 'hookline_ends_total', help: 'Ends', unit: 'ends' },
  depth: { kind: 'gauge', name: 'hookline_depth', help: 'Depth', unit: 'records' },
} satisfies MetricTable;

const exemplar = { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' };

function measured(): Metrics {
  const registry = new Metrics();
  const { took, ends, depth } = registerMetrics(table, registry);
  ends.inc();
  whenRead(depth, (gauge) => gauge.set(7));
  observe(took, 1, { labels: { route: '/a' }, exemplar });
  observe(took, 9, { labels: { route: '/a' } });
  return registry;
}

test('a scraper that asks for OpenMetrics gets the last trace of each bucket', async () => {
  const { contentType, text } = await openMetricsOf(measured());
  expect(contentType).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
  expect(text).toMatch(
    /\nhookline_took_seconds_bucket\{le="2",route="\/a"\} 1 # \{trace_id="0af7651916cd43dd8448eb211c80319c",span_id="b7ad6b7169203331"\} 1 \d+/,
  );
  expect(text).toContain('\nhookline_took_seconds_bucket{le="+Inf",route="/a"} 2\n');
  expect(text).toContain('# TYPE hookline_ends counter\nhookline_ends_total 1\n');
  expect(text).toContain('\nhookline_depth 7\n');
  expect(text.endsWith('\n# EOF\n')).toBe(true);
});

test('who does not ask gets what there was before, also after somebody has asked', async () => {
  const registry = measured();
  const before = await registry.metrics();
  await Promise.all([openMetricsOf(registry), openMetricsOf(registry)]);
  expect(await registry.metrics()).toBe(before);
  expect(before).toContain('# TYPE hookline_ends_total counter\nhookline_ends_total 1\n');
  expect(before).not.toContain('trace_id');
});

test('Node’s own metrics, which are set when they are read, are as new in one format as in the other', async () => {
  const registry = new Metrics();
  collectDefaultMetrics({ register: registry });
  const namesIn = (text: string): string[] =>
    text.split('\n').flatMap((line) => /^([a-z_]+)[{ ]/.exec(line)?.[1] ?? []);
  const plain = new Set(namesIn(await registry.metrics()));
  const open = new Set(namesIn((await openMetricsOf(registry)).text));
  expect([...plain].filter((name) => !open.has(name))).toEqual([]);
});

test.each([
  ['application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.2', true],
  ['text/plain, application/openmetrics-text', true],
  ['text/plain;version=0.0.4', false],
  ['*/*', false],
  ['application/openmetrics-text-like', false],
  [undefined, false],
])('Accept: %s asks for OpenMetrics: %s', (accept, asks) => {
  expect(asksForOpenMetrics(accept)).toBe(asks);
});
