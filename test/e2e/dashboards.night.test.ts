import { dashboards, type Panel, type Query } from '#deploy/grafana/source/index.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { serviceNames } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { prepareLoad } from './dashboards-load.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

/** Panels and alerts are asked until they have something to show, for so long. */
const shownWithinMs = 75_000;

const queriesOf = (panel: Panel): readonly Query[] => (panel.kind === 'table' ? [panel.query] : panel.queries);
const shown = dashboards.flatMap(({ name, rows }) =>
  rows.flatMap(({ panels }) =>
    panels.flatMap((panel) =>
      queriesOf(panel).map(({ expr, legend }) => ({
        what: `${name}: ${panel.title}, ${legend}`,
        // Grafana puts in four times the interval of the scrapes.
        expression: expr.replaceAll('$__rate_interval', '15s'),
        labels:
          panel.kind === 'table'
            ? Object.keys(panel.columns)
            : [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
      })),
    ),
  ),
);

/** The metrics of a rule: names with their selectors. */
const selectorsIn = (query: string): string[] =>
  query.match(/\b(?:hookline[_:][a-z0-9_:]+|up|nodejs_\w+|process_\w+)(?:\{[^}]*\})?/g) ?? [];

/** Queries without a series while all is well, each with a stand-in: the same with values that exist. */
const standsFor: Readonly<Record<string, string>> = {
  // No webhook is answered 503.
  'hookline:ingress_requests:rate5m{outcome=~"unavailable|internal_error"}':
    'hookline:ingress_requests:rate5m{outcome=~"accepted|signature_invalid"}',
  // No request to the api fails.
  'hookline:api_requests:rate5m{status=~"5.."}': 'hookline:api_requests:rate5m{status=~"2.."}',
  // Nor does a page of the console.
  'hookline_console_requests_total{status=~"5.."}': 'hookline_console_requests_total{status=~"2.."}',
};

describe('with a little load', () => {
  let pipeline: OwnPipeline;
  let receiver: Receiver;
  let prometheus: Prometheus;
  const loadEnds = new AbortController();
  let load: Promise<void>;

  beforeAll(async () => {
    receiver = await startReceiver();
    pipeline = await startOwnPipeline({
      services: serviceNames,
      env: { HOOKLINE_DATABASE_MAX_BYTES: '10000000000' },
    });
    prometheus = await startPrometheus({
      targets: Object.fromEntries(
        serviceNames.map((name) => [`hookline-${name}`, [new URL(pipeline.metricsUrl(name)).host]]),
      ),
      everySeconds: 2,
    });
    load = (await prepareLoad(pipeline.stack, receiver, pipeline.consoleUrl('console'))).run(loadEnds.signal);
    load.catch(() => undefined);
  });
  afterAll(async () => {
    loadEnds.abort();
    await load;
    await prometheus?.stop();
    await pipeline?.close();
    await receiver?.stop();
  });

  const isShown = async (expression: string, labels: readonly string[]): Promise<boolean> => {
    const series = await prometheus.query(expression);
    return series.some(({ value, labels: found }) => !Number.isNaN(value) && labels.every((label) => label in found));
  };

  /** Panels that have nothing to show at the end. */
  const notShown = async (wanted: readonly { what: string; expression: string; labels: readonly string[] }[]) => {
    let missing = [...wanted];
    await waitUntil(
      'all is shown',
      async () => {
        const found = await Promise.all(missing.map(({ expression, labels }) => isShown(expression, labels)));
        missing = missing.filter((_, index) => !found[index]);
        return missing.length === 0;
      },
      { timeoutMs: shownWithinMs, everyMs: 1_000 },
    ).catch(() => undefined);
    return missing.map(({ what, expression }) => `${what}: ${expression}`);
  };

  it('every panel of every dashboard has something to show', () =>
    pipeline.explain(async () => {
      expect(await notShown(shown)).toEqual([]);
    }));

  it('every rule is evaluated, and every series that it asks for is there', () =>
    pipeline.explain(async () => {
      const rules = await prometheus.rules();
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
      const wanted = rules.flatMap(({ name, query }) =>
        selectorsIn(query).map((selector) => ({ what: name, expression: standsFor[selector] ?? selector, labels: [] })),
      );
      expect(wanted.length).toBeGreaterThan(rules.length);
      expect(await notShown(wanted)).toEqual([]);
    }));
});
