import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { dashboardJson, dashboards, type Panel, type Query } from '#deploy/grafana/source/index.ts';
import { metricsOf } from '../../support/metrics-document.ts';
import { serviceNames } from '../../support/stack.ts';

const deploy = resolve(import.meta.dirname, '../../../deploy');
const files = join(deploy, 'grafana/dashboards');
const rules = join(deploy, 'prometheus/rules');

const queriesOf = (panel: Panel): readonly Query[] => (panel.kind === 'table' ? [panel.query] : panel.queries);
const panels = dashboards.flatMap(({ name, rows }) =>
  rows.flatMap((row) => row.panels.map((panel) => ({ name: `${name}, ${row.title}: ${panel.title}`, panel }))),
);
const ruleTexts = readdirSync(rules).map((file) => ({ file, text: readFileSync(join(rules, file), 'utf8') }));

/** Every metric that a query may name: ours, a histogram’s parts, those that the rules record. */
const known = new Set([
  ...serviceNames
    .flatMap(metricsOf)
    .flatMap(({ name, kind }): string[] => (kind === 'histogram' ? [`${name}_bucket`, `${name}_count`] : [name])),
  ...ruleTexts.flatMap(({ text }) => [...text.matchAll(/record: (\S+)/g)].map(([, name = '']) => name)),
]);
const unknownIn = (text: string): string[] =>
  [...text.matchAll(/\bhookline[_:][a-z0-9_:]+/g)].map(([name]) => name).filter((name) => !known.has(name));

test.each(dashboards)('the file of $name is as the code has it (`npm run docs:write` writes it anew)', (dashboard) => {
  expect(readFileSync(join(files, `${dashboard.name}.json`), 'utf8')).toBe(dashboardJson(dashboard));
});

test('there is no other file', () => {
  expect(readdirSync(files).sort()).toEqual(dashboards.map(({ name }) => `${name}.json`).sort());
});

test.each(panels)('$name asks for metrics that there are', ({ panel }) => {
  const queries = queriesOf(panel);
  expect(queries.length).toBeGreaterThan(0);
  for (const { expr } of queries) expect(unknownIn(expr)).toEqual([]);
});

test.each(panels)('$name says what it shows', ({ panel }) => {
  expect(panel.description).toMatch(/\S{3}.*[.?]$/s);
});

test.each(ruleTexts)('$file asks for metrics that there are', ({ text }) => {
  expect(unknownIn(text)).toEqual([]);
});

/** Each aggregation and each matching of two vectors, with the labels that it keeps. */
const groupingsIn = (text: string): string[] =>
  [
    ...text.matchAll(
      /\b(?:(?:sum|max|min|avg|count|group|topk|bottomk|stddev|quantile)(?: ?\(| (?:by|without) ?\([^)]*\))|on ?\([^)]*\)|ignoring)/g,
    ),
  ].map(([whole]) => whole);

test.each(ruleTexts)('$file tells installations apart: each aggregation keeps cluster and namespace', ({ text }) => {
  const expressions = (parse(text) as { groups: { rules: { expr: string }[] }[] }).groups.flatMap(({ rules }) =>
    rules.map(({ expr }) => expr),
  );
  const groupings = expressions.flatMap(groupingsIn);
  expect(groupings.filter((grouping) => !/ (?:by )?\(cluster, namespace[,)]/.test(grouping))).toEqual([]);
});

test('a rule that adds up all installations is noticed', () => {
  expect(groupingsIn('sum(a) / max by (job) (b) and c unless on (job) d')).toEqual([
    'sum(',
    'max by (job)',
    'on (job)',
  ]);
});

test.each(dashboards)('$name shows the installations that its variables name', (dashboard) => {
  const { templating, panels: shown } = JSON.parse(dashboardJson(dashboard)) as {
    templating: { list: { name: string }[] };
    panels: { targets?: { expr: string }[] }[];
  };
  expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'cluster', 'namespace']);
  const chosen = 'cluster=~"$cluster", namespace=~"$namespace"';
  for (const { expr } of shown.flatMap(({ targets = [] }) => targets)) {
    const metrics = expr.match(/\b(?:hookline[_:]\w+[\w:]*|up|ALERTS|(?:nodejs|process)_\w+)(?:\{[^}]*\})?/g) ?? [];
    expect(metrics).not.toEqual([]);
    expect(metrics.filter((metric) => !metric.includes(chosen))).toEqual([]);
  }
});

test.each(dashboards)('no two panels of $name overlap, and each row is filled', ({ rows }) => {
  for (const { title, panels: shown } of rows) {
    const width = shown.reduce((sum, panel) => sum + panel.width, 0);
    expect({ title, rest: width % 24 }).toEqual({ title, rest: 0 });
  }
});
