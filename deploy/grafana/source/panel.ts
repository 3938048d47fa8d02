/**
 * The model of a dashboard; grafana-json.ts translates it into Grafana's. Every expression takes its series from the metrics in
 * docs/metrics.md, Prometheus's own `up` and `ALERTS`, and the rules in deploy/prometheus/rules.
 */

/** Grafana's names of units: events a second, seconds, a fraction of 1, bytes, a plain number, yes or no. */
type Unit = 'cps' | 's' | 'percentunit' | 'bytes' | 'short' | 'bool_on_off';

export interface Query {
  expr: string;
  /** `{{label}}` if there are several series. */
  legend: string;
}

interface Common {
  title: string;
  /** Says what the panel shows, and which values are usual. */
  description: string;
  unit: Unit;
  /** Columns, of the 24 in a row. */
  width: number;
}

/** A panel turns yellow or red from this value up (`below`: down). */
export interface Thresholds {
  warn?: number;
  bad: number;
  below?: true;
}

/** One number for each series, as it is now. */
export interface StatPanel extends Common {
  kind: 'stat';
  queries: readonly Query[];
  thresholds?: Thresholds;
  decimals?: number;
}

export interface GraphPanel extends Common {
  kind: 'graph';
  queries: readonly Query[];
  /** Stacks the series: they are parts of a whole. */
  stacked?: true;
  /** A line at the value from which the panel needs attention. */
  limit?: number;
  /** Logarithmic scale, for bounds far above the usual values. */
  logarithmic?: true;
}

/** Rows of labels with one value each, the largest first. */
export interface TablePanel extends Common {
  kind: 'table';
  query: Query;
  /** Titles of the columns by label, in their order. */
  columns: Readonly<Record<string, string>>;
  /** Title of the value’s column. */
  value: string;
}

export type Panel = StatPanel | GraphPanel | TablePanel;

interface Row {
  title: string;
  /** Units of 30 pixels. */
  height: number;
  panels: readonly Panel[];
}

export interface Dashboard {
  /** The name of the file, and of the address: /d/hookline-<name>. */
  name: string;
  title: string;
  description: string;
  rows: readonly Row[];
}

export const stat = (panel: Omit<StatPanel, 'kind'>): StatPanel => ({ kind: 'stat', ...panel });
export const graph = (panel: Omit<GraphPanel, 'kind'>): GraphPanel => ({ kind: 'graph', ...panel });
export const table = (panel: Omit<TablePanel, 'kind'>): TablePanel => ({ kind: 'table', ...panel });

/** Events a second, by labels. */
export const rateOf = (series: string, by?: string): string =>
  `sum${by === undefined ? '' : ` by (${by})`} (rate(${series}[$__rate_interval]))`;

/**
 * Quantiles of a histogram.
 *
 * @param name without `_bucket`
 */
export const quantilesOf = (name: string, selector = '', quantiles: readonly number[] = [0.5, 0.9, 0.99]): Query[] =>
  quantiles.map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${name}_bucket${selector}[$__rate_interval])))`,
    legend: `p${String(quantile * 100)}`,
  }));

/** The quantile of each of several series of a histogram. */
export const quantileBy = (name: string, by: string, quantile = 0.99): Query => ({
  expr: `histogram_quantile(${quantile}, sum by (le, ${by}) (rate(${name}_bucket[$__rate_interval])))`,
  legend: `{{${by}}}`,
});
