import type { GrafanaDashboard, GrafanaGraph, GrafanaPanel, GrafanaStat, GrafanaTable } from './grafana-types.ts';
import { installationLabels, ofChosenInstallations } from './installations.ts';
import type { Dashboard, GraphPanel, Panel, Query, StatPanel, TablePanel, Thresholds } from './panel.ts';

/** The schema of Grafana 11; later versions migrate it. */
const schemaVersion = 39;
const columns = 24;
const datasource = { type: 'prometheus', uid: '${datasource}' };

/** The same thing has the same colour in every panel: by the label that a series is named after, and its value. */
const colours: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '{{outcome}}': {
    accepted: 'green',
    delivered: 'green',
    first: 'green',
    fresh: 'green',
    replayed: 'green',
    written: 'green',
    duplicate: 'blue',
    duplicate_changed: 'orange',
    republished: 'purple',
    failed: 'red',
    unavailable: 'red',
    internal_error: 'dark-red',
    http_4xx: 'orange',
    http_5xx: 'red',
    timeout: 'dark-orange',
    connect: 'purple',
  },
  '{{state}}': { retrying: 'yellow', parked: 'orange', open: 'red', 'half-open': 'yellow', shrunk: 'blue' },
  limit: { limit: 'dark-red' },
};

/** The text of a dashboard’s file. */
export const dashboardJson = (dashboard: Dashboard): string => `${JSON.stringify(modelOf(dashboard), null, 2)}\n`;

function modelOf({ name, title, description, rows }: Dashboard): GrafanaDashboard {
  const panels: GrafanaPanel[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    });
    y += 1;
    let x = 0;
    for (const panel of row.panels) {
      if (x + panel.width > columns) {
        x = 0;
        y += row.height;
      }
      const gridPos = { x, y, w: panel.width, h: row.height };
      panels.push({ id: panels.length + 1, gridPos, ...panelOf(panel) });
      x += panel.width;
    }
    y += row.height;
  }
  return {
    uid: `hookline-${name}`,
    title: `Hookline: ${title}`,
    description,
    tags: ['hookline'],
    schemaVersion,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    annotations: { list: [] },
    links: [
      {
        title: 'Hookline',
        type: 'dashboards',
        tags: ['hookline'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
        icon: 'external link',
        targetBlank: false,
        tooltip: '',
      },
    ],
    templating: {
      list: [
        {
          name: 'datasource',
          label: 'Prometheus',
          type: 'datasource',
          query: 'prometheus',
          hide: 0,
          refresh: 1,
          regex: '',
          options: [],
        },
        ...installationLabels.map((label) => variableOf(label)),
      ],
    },
    panels,
  };
}

/** All of them by default: a Prometheus of one installation may have neither label, and what `.*` matches need not be there. */
const variableOf = (label: string): NonNullable<NonNullable<GrafanaDashboard['templating']>['list']>[number] => ({
  name: label,
  label: `${label[0]?.toUpperCase()}${label.slice(1)}`,
  type: 'query',
  datasource,
  query: { query: `label_values(up{job=~"hookline-.+"}, ${label})`, refId: label },
  hide: 0,
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
  options: [],
});

function panelOf(panel: Panel) {
  const { title, description } = panel;
  const common = { title, description, datasource };
  switch (panel.kind) {
    case 'stat':
      return { ...common, ...statOf(panel) };
    case 'graph':
      return { ...common, ...graphOf(panel) };
    case 'table':
      return { ...common, ...tableOf(panel) };
  }
}

const targetsOf = (queries: readonly Query[], more: object = {}) =>
  queries.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode(65 + index),
    datasource,
    editorMode: 'code',
    expr: ofChosenInstallations(expr),
    legendFormat: legend,
    ...more,
  }));

function statOf({ queries, unit, thresholds, decimals }: StatPanel): GrafanaStat {
  return {
    type: 'stat',
    targets: targetsOf(queries, { instant: false, range: true }),
    options: {
      colorMode: thresholds === undefined ? 'none' : 'value',
      graphMode: 'area',
      justifyMode: 'auto',
      percentChangeColorMode: 'standard',
      showPercentChange: false,
      orientation: 'auto',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      textMode: queries.length === 1 && !queries[0]?.legend.includes('{{') ? 'value' : 'value_and_name',
      wideLayout: false,
    },
    fieldConfig: {
      defaults: {
        unit,
        ...(decimals === undefined ? {} : { decimals }),
        ...(unit === 'percentunit' ? { max: 1, min: 0 } : {}),
        color: { mode: 'thresholds' },
        thresholds: { mode: 'absolute', steps: stepsOf(thresholds) },
      },
      overrides: [],
    },
  };
}

function stepsOf(thresholds: Thresholds | undefined) {
  if (thresholds === undefined) return [{ color: 'blue', value: null }];
  const { warn, bad, below } = thresholds;
  const [base, middle, top] = below ? (['red', 'yellow', 'green'] as const) : (['green', 'yellow', 'red'] as const);
  const [first, second] = below ? [bad, warn] : [warn, bad];
  const steps: { color: string; value: number | null }[] = [{ color: base, value: null }];
  if (warn === undefined) return [...steps, { color: top, value: bad }];
  return [...steps, { color: middle, value: first ?? bad }, { color: top, value: second ?? bad }];
}

function graphOf({ queries, unit, stacked, limit, logarithmic }: GraphPanel): GrafanaGraph {
  return {
    type: 'timeseries',
    targets: targetsOf(queries),
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    fieldConfig: {
      defaults: {
        unit,
        ...(logarithmic ? {} : { min: 0 }),
        color: { mode: 'palette-classic' },
        custom: {
          drawStyle: 'line',
          lineInterpolation: 'linear',
          lineWidth: 1,
          fillOpacity: stacked ? 40 : 8,
          showPoints: 'never',
          spanNulls: false,
          stacking: { group: 'A', mode: stacked ? 'normal' : 'none' },
          scaleDistribution: logarithmic ? { type: 'log', log: 10 } : { type: 'linear' },
          thresholdsStyle: { mode: limit === undefined ? 'off' : 'dashed' },
        },
        thresholds: {
          mode: 'absolute',
          steps: [
            { color: 'transparent', value: null },
            ...(limit === undefined ? [] : [{ color: 'red', value: limit }]),
          ],
        },
      },
      overrides: overridesOf(queries),
    },
  };
}

const overridesOf = (queries: readonly Query[]) =>
  queries
    .flatMap(({ legend }) => Object.entries(colours[legend] ?? {}))
    .map(([name, fixedColor]) => ({
      matcher: { id: 'byName', options: name },
      properties: [{ id: 'color', value: { mode: 'fixed', fixedColor } }],
    }));

function tableOf({ query, unit, columns: titles, value }: TablePanel): GrafanaTable {
  return {
    type: 'table',
    targets: targetsOf([query], { instant: true, range: false, format: 'table' }),
    transformations: [
      {
        id: 'organize',
        options: {
          excludeByName: { Time: true },
          indexByName: Object.fromEntries([...Object.keys(titles), 'Value'].map((column, index) => [column, index])),
          renameByName: { ...titles, Value: value },
        },
      },
    ],
    options: {
      showHeader: true,
      cellHeight: 'sm',
      sortBy: [{ displayName: value, desc: true }],
      footer: { show: false, reducer: [] },
      frameIndex: 0,
    },
    fieldConfig: {
      defaults: {
        unit,
        decimals: 0,
        custom: { align: 'auto', filterable: false },
        color: { mode: 'thresholds' },
        thresholds: { mode: 'absolute', steps: [{ color: 'text', value: null }] },
      },
      overrides: [],
    },
  };
}
