import { html, type Html } from '#lib/html';
import { milliseconds } from './milliseconds.ts';

/** How long each phase of a request took; null: it did not take place, as on a connection that was open. */
export interface Timing {
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
  body_ms: number | null;
}

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
