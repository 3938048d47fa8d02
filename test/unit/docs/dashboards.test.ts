import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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

test.each(dashboards)('no two panels of $name overlap, and each row is filled', ({ rows }) => {
  for (const { title, panels: shown } of rows) {
    const width = shown.reduce((sum, panel) => sum + panel.width, 0);
    expect({ title, rest: width % 24 }).toEqual({ title, rest: 0 });
  }
});
