/** The common look of all plots: sizes, colours and grid. */
import type { TopLevelSpec } from 'vega-lite';
import type { Axis, Plot } from './plot.ts';

const size = { width: 720, height: 260 };
/** Okabe and Ito's colours, and three of Paul Tol's, which colour-blind readers can tell apart; black is for text. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#999933', '#882255', '#332288'];
/** About: nothing here measures text. */
const [deadLetterWidth, symbolWidth] = [6.5, 40];
const font = 'system-ui, sans-serif';
const ink = '#24292f';
const faint = '#d8dee4';

/** @throws Error where a value can't be drawn: it would be left out without a word */
export function specOf(plot: Plot): TopLevelSpec {
  check(plot);
  const names = plot.series.map(({ name }) => name);
  const rows = plot.series.flatMap(({ name, points, as = 'line', dashed = false }) =>
    points.map(([x, y]) => ({ x, y, name, as, dashed })),
  );
  const x = { field: 'x', type: 'quantitative', title: plot.x.title, scale: scaleOf(plot.x, false) } as const;
  const y = { field: 'y', type: 'quantitative', title: plot.y.title, scale: scaleOf(plot.y, true) } as const;
  // Above so many, colours would come again.
  if (names.length > colours.length) throw new Error(`${plot.title}: more than ${colours.length} series`);
  const color = {
    field: 'name',
    type: 'nominal',
    scale: { domain: names, range: colours.slice(0, names.length) },
    legend: names.length > 1 ? { title: null, orient: 'bottom', columns: columnsFor(names) } : null,
  } as const;
  const onlyThese = (test: string) => [{ filter: test }];
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    ...size,
    background: 'white',
    padding: 12,
    title: { text: plot.title, ...(plot.subtitle !== undefined && { subtitle: plot.subtitle }), anchor: 'start' },
    data: { values: rows },
    layer: [
      {
        transform: onlyThese("datum.as === 'line' && !datum.dashed"),
        mark: { type: 'line', strokeWidth: 1.5 },
        encoding: { x, y, color },
      },
      {
        transform: onlyThese("datum.as === 'line' && datum.dashed"),
        mark: { type: 'line', strokeWidth: 1.5, strokeDash: [6, 4] },
        encoding: { x, y, color },
      },
      {
        transform: onlyThese("datum.as === 'points'"),
        mark: { type: 'point', filled: true, size: 30 },
        encoding: { x, y, color },
      },
      ...(plot.marks ?? []).flatMap(({ x: at, label }) => [
        {
          data: { values: [{ x: at }] },
          mark: { type: 'rule' as const, strokeDash: [2, 3], color: ink },
          encoding: { x: { field: 'x', type: 'quantitative' } as const },
        },
        {
          data: { values: [{ x: at, label }] },
          mark: { type: 'text', align: 'left', dx: 4, dy: 8, y: 0, color: ink, font, fontSize: 11 } as const,
          encoding: {
            x: { field: 'x', type: 'quantitative' } as const,
            text: { field: 'label', type: 'nominal' } as const,
          },
        },
      ]),
    ],
    config: {
      font,
      view: { stroke: null },
      axis: {
        gridColor: faint,
        domainColor: ink,
        tickColor: ink,
        labelColor: ink,
        titleColor: ink,
        titleFontWeight: 'normal',
      },
      title: { color: ink, fontSize: 14, subtitleColor: ink },
      legend: { labelLimit: size.width, labelColor: ink, symbolType: 'stroke', symbolStrokeWidth: 3 },
    },
  };
}

const scaleOf = ({ log = false }: Axis, fromZero: boolean) =>
  log ? ({ type: 'log', nice: fromZero } as const) : ({ type: 'linear', zero: fromZero, nice: fromZero } as const);

/** As many as there is room for beside each other. */
function columnsFor(names: readonly string[]): number {
  const widest = Math.max(...names.map(({ length }) => length)) * deadLetterWidth + symbolWidth;
  return Math.max(1, Math.floor(size.width / widest));
}

function check({ title, x, y, series }: Plot): void {
  if (series.every(({ points }) => points.length === 0)) throw new Error(`${title}: there is nothing to plot`);
  for (const { name, points } of series)
    for (const [atX, atY] of points) {
      if (!Number.isFinite(atX) || !Number.isFinite(atY)) throw new Error(`${title}, ${name}: (${atX}, ${atY})`);
      if ((x.log === true && atX <= 0) || (y.log === true && atY <= 0))
        throw new Error(`${title}, ${name}: (${atX}, ${atY}) on a logarithmic axis`);
    }
}
