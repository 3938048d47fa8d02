/** Counts over time as bars, made on the server, with the same numbers in a table. Whoever can't see the bars has the table. */
import { html, type Html } from '#lib/html';
import { count } from './count.ts';
import { type Column, table } from './table.ts';
import { time } from './time.ts';

interface ChartSeries {
  name: string;
  tone: 'good' | 'bad' | 'warn' | 'accent';
  /** One for each step. */
  counts: readonly number[];
}

interface Chart {
  /** What is counted, and of what time. */
  caption: string;
  /** The beginning of each step. */
  steps: readonly string[];
  /** Stacked, the first at the bottom. */
  series: readonly ChartSeries[];
}

/** The answer of `GET /v1/stats`, as far as charts need it. */
export interface Stats {
  step: '1m' | '1h' | '1d';
  since: string;
  until: string;
  /** Since when everything is counted. */
  counted_since: string | null;
  series: readonly { series: string; key: string | null; counts: readonly { at: string; count: number }[] }[];
}

const stepMs = { '1m': 60_000, '1h': 3_600_000, '1d': 86_400_000 } as const;
const mostSteps = 3_000;

/** The beginnings of all steps of an answer, also of those in which nothing was counted. */
export function stepsOf({ step, since, until }: Pick<Stats, 'step' | 'since' | 'until'>): readonly string[] {
  const from = Date.parse(since);
  const steps = Math.min(mostSteps, Math.max(0, Math.round((Date.parse(until) - from) / stepMs[step])));
  return Array.from({ length: steps }, (_, index) =>
    new Date(from + index * stepMs[step]).toISOString().replace('Z', '000Z'),
  );
}

/** The counts of a series in all steps. @param key of a source, endpoint, type or outcome; null: of all */
export function countsOf(stats: Stats, name: string, key: string | null): readonly number[] {
  const found = stats.series.filter((one) => one.series === name && one.key === key);
  const byStep = new Map(found.flatMap(({ counts }) => counts.map(({ at, count: n }) => [at, n] as const)));
  return stepsOf(stats).map((at) => byStep.get(at) ?? 0);
}

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, n) => sum + n, 0);

const height = 96;
const barWidth = 10;
const gap = 2;

/** Null counts are no chart, but a sentence. */
export function barChart({ caption, steps, series }: Chart): Html {
  const totals = steps.map((_, index) => sumOf(series.map(({ counts }) => counts[index] ?? 0)));
  const most = Math.max(0, ...totals);
  const legend = html`<p class="legend">${series.map(({ name, tone, counts }) => html`<span><svg class="swatch" viewBox="0 0 8 8" aria-hidden="true"><rect class="bar-${tone}" width="8" height="8"/></svg> ${name} ${count(sumOf(counts))}</span>`)}</p>`;
  if (most === 0)
    return html`<figure class="chart"><figcaption>${caption}</figcaption><p class="muted">None.</p></figure>`;
  const width = steps.length * barWidth;
  return html`<figure class="chart"><figcaption>${caption}</figcaption>${legend}
<div class="chart-frame"><span class="chart-most" aria-hidden="true">${count(most)}</span>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${steps.map((_, index) => stack(series, index, most))}</svg>
<p class="chart-ends" aria-hidden="true">${time(steps[0])}<span></span>${time(steps.at(-1))}</p></div>
<details><summary>As a table</summary>${stepTable({ caption, steps, series })}</details></figure>`;
}

function stepTable({ caption, steps, series }: Chart): Html {
  const columns: Column<{ at: string; index: number }>[] = [
    { header: 'From', cell: ({ at }) => time(at) },
    ...series.map(({ name, counts }) => ({
      header: name,
      isNumber: true,
      cell: ({ index }: { index: number }) => count(counts[index] ?? 0),
    })),
  ];
  return table({ caption, rows: steps.map((at, index) => ({ at, index })), columns });
}

function stack(series: readonly ChartSeries[], index: number, most: number): Html {
  let top = height;
  return html`${series.map(({ tone, counts }) => {
    const n = counts[index] ?? 0;
    if (n === 0) return null;
    // One among thousands is still to be seen.
    const tall = Math.max(1.5, (n / most) * height);
    top -= tall;
    return html`<rect class="bar-${tone}" x="${index * barWidth + gap / 2}" y="${Math.max(0, top).toFixed(1)}" width="${barWidth - gap}" height="${tall.toFixed(1)}"/>`;
  })}`;
}
