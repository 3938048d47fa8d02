import { html, type Html } from '#lib/html';
import { count } from './count.ts';
import { minute } from './minute.ts';

/** The count of one step of time; null: it was not counted yet. */
interface Bar {
  at: string;
  value: number | null;
}

interface Chart {
  /** The counted things: `Received`. */
  title: string;
  bars: readonly Bar[];
  /** One of the steps: `hour`. */
  step: string;
  /** `bad`: what should not be. */
  tone?: 'plain' | 'bad';
}

/** The drawing's own units; it is stretched to the width that there is. */
const height = 48;
const barWidth = 8;
const gap = 2;

/** Counts over time as bars, and the same numbers as a table. Made here: it needs no script. */
export function barChart({ title, bars, step, tone = 'plain' }: Chart): Html {
  const most = Math.max(0, ...bars.map(({ value }) => value ?? 0));
  const total = bars.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const label = `${title}: ${count(total)} in all, at most ${count(most)} in one ${step}`;
  return html`<figure class="chart chart-${tone}"><figcaption><b>${title}</b> <span class="muted">${most === 0 ? 'none' : `at most ${count(most)} in one ${step}`}</span></figcaption>
<svg viewBox="0 0 ${bars.length * (barWidth + gap)} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${bars.map((bar, index) => drawnBar(bar, index, most))}</svg>
<p class="chart-ends"><span>${minute(bars[0]?.at)}</span><span>${minute(bars.at(-1)?.at)}</span></p>
<details><summary>As a table</summary>${numbers({ title, bars, step })}</details></figure>`;
}

function drawnBar({ at, value }: Bar, index: number, most: number): Html {
  const x = index * (barWidth + gap);
  if (value === null)
    return html`<rect class="uncounted" x="${x}" y="0" width="${barWidth + gap}" height="${height}"><title>${inUtc(at)}: not counted</title></rect>`;
  // A value above nothing can be seen.
  const drawn = value === 0 ? 0 : Math.max(2, Math.round((value / most) * height));
  return html`<g><title>${inUtc(at)}: ${count(value)}</title><rect class="hover" x="${x}" y="0" width="${barWidth + gap}" height="${height}"/><rect class="bar" x="${x}" y="${height - drawn}" width="${barWidth}" height="${drawn}"/></g>`;
}

const inUtc = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`;

const numbers = ({ title, bars, step }: Pick<Chart, 'title' | 'bars' | 'step'>): Html =>
  html`<div class="chart-numbers" tabindex="0" role="region" aria-label="${title} by ${step}"><table><caption class="visually-hidden">${title} by ${step}</caption><thead><tr><th scope="col">From</th><th scope="col" class="number">${title}</th></tr></thead>
<tbody>${bars.map(({ at, value }) => html`<tr><td>${minute(at)}</td><td class="number">${value === null ? 'not counted' : count(value)}</td></tr>`)}</tbody></table></div>`;
