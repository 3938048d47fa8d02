import { Metrics, type MetricTable, registerMetrics, whenRead } from '#lib/telemetry';

const table = {
  ends: {
    kind: 'counter',
    name: 'hookline_ends_total',
    help: 'Ends',
    unit: 'ends',
    labels: { stage: ['one', 'two'], outcome: ['well', 'badly'] },
  },
  visits: { kind: 'counter', name: 'hookline_visits_total', help: 'Visits', unit: 'visits', labels: { who: 'guests' } },
  depth: { kind: 'gauge', name: 'hookline_depth', help: 'Depth', unit: 'records', labels: { queue: 'the queues' } },
  took: { kind: 'histogram', name: 'hookline_took_seconds', help: 'Took', unit: 'seconds', buckets: [0.5, 2] },
} satisfies MetricTable;

test('a counter begins at 0 for all of its labels’ values, where they are known', async () => {
  const registry = new Metrics();
  registerMetrics(table, registry);
  const shown = (await registry.metrics()).split('\n').filter((line) => /^hookline_(ends|visits)/.test(line));
  expect(shown).toEqual([
    'hookline_ends_total{stage="one",outcome="well"} 0',
    'hookline_ends_total{stage="one",outcome="badly"} 0',
    'hookline_ends_total{stage="two",outcome="well"} 0',
    'hookline_ends_total{stage="two",outcome="badly"} 0',
  ]);
});

test('what is registered twice is shared', async () => {
  const registry = new Metrics();
  const [one, other] = [registerMetrics(table, registry), registerMetrics(table, registry)];
  one.ends.inc({ stage: 'one', outcome: 'well' });
  other.ends.inc({ stage: 'one', outcome: 'well' });
  other.took.observe(1);
  const text = await registry.metrics();
  expect(text).toContain('hookline_ends_total{stage="one",outcome="well"} 2\n');
  expect(text).toContain('hookline_took_seconds_bucket{le="0.5"} 0\nhookline_took_seconds_bucket{le="2"} 1\n');
});

test('everybody who sets a gauge when it is read is asked, each time', async () => {
  const registry = new Metrics();
  const depths = { first: 1, second: 2 };
  for (const queue of ['first', 'second'] as const) {
    const { depth } = registerMetrics(table, registry);
    whenRead(depth, (gauge) => gauge.set({ queue }, depths[queue]));
  }
  expect(await registry.metrics()).toContain('hookline_depth{queue="first"} 1\nhookline_depth{queue="second"} 2\n');
  depths.first = 7;
  expect(await registry.metrics()).toContain('hookline_depth{queue="first"} 7\nhookline_depth{queue="second"} 2\n');
});
