import type { Attempt } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { count } from './text.ts';
import { milliseconds, minute } from './times.ts';

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

interface Figure {
  label: string;
  value: Html | string;
  /** The definition: what is counted, and what is not. */
  definition: string;
}

/** A number that says what it counts. */
export const figure = ({ label, value, definition }: Figure): Html =>
  html`<div class="figure"><div class="figure-value">${value}</div><details><summary><span class="figure-label">${label}</span> <span class="about" aria-hidden="true">i</span><span class="visually-hidden">: what is counted?</span></summary><p>${definition}</p></details></div>`;

/** 0.9918 as `99.2 %`. Never 100 % where something is missing, nor 0 % where there is something. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const tenths = Math.round((part / whole) * 1_000);
  const shown = part < whole && tenths === 1_000 ? 999 : part > 0 && tenths === 0 ? 1 : tenths;
  return `${(shown / 10).toFixed(1)} %`;
}

/** How long each phase of a request took; null: it did not take place, as on a connection that was open. */
type Timing = NonNullable<Attempt['timing']>;

/** In the order in which they happen. */
export const phases = [
  { name: 'dns_ms', label: 'DNS' },
  { name: 'connect_ms', label: 'TCP' },
  { name: 'tls_ms', label: 'TLS' },
  { name: 'first_byte_ms', label: 'First byte' },
  { name: 'body_ms', label: 'Body' },
] as const satisfies readonly { name: keyof Timing; label: string }[];

/** The name of a phase, with its colour in the bar. */
export const phaseTerm = ({ name, label }: (typeof phases)[number]): Html =>
  html`<svg class="phase-key" viewBox="0 0 1 1" aria-hidden="true"><rect class="${phaseClass(name)}" width="1" height="1"/></svg> ${label}`;

const phaseClass = (name: keyof Timing): string => `phase-${name.replace('_ms', '').replace('_', '-')}`;

const width = 100;
const barHeight = 8;
/** Narrower ones can't be seen. */
const leastWidth = 0.75;

/**
 * The phases of an attempt, one behind the other. The numbers stand beside it: to those who can't see it, it says nothing.
 *
 * @param scaleMs the time that the whole width is
 */
export function phaseBar(timing: Timing | null, scaleMs: number): Html | null {
  if (timing === null) return null;
  let at = 0;
  const bars = phases.map(({ name, label }) => {
    const ms = timing[name];
    if (ms === null) return null;
    const wide = Math.max(leastWidth, Math.min(width, (ms / Math.max(scaleMs, 1)) * width));
    const bar = html`<rect class="${phaseClass(name)}" x="${at.toFixed(2)}" y="0" width="${wide.toFixed(2)}" height="${barHeight}"><title>${label} ${milliseconds(ms)}</title></rect>`;
    at = Math.min(width - leastWidth, at + wide);
    return bar;
  });
  return html`<svg class="phases" viewBox="0 0 ${width} ${barHeight}" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`;
}
