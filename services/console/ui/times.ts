import { html, type Html } from '#lib/html';

/** `0.4 ms`, `46 ms`, `1.25 s`, `5 s`; a dash for a phase that did not take place. */
export function milliseconds(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms >= 1_000) return `${Number((ms / 1_000).toFixed(2))} s`;
  return `${ms >= 10 ? Math.round(ms) : Number(ms.toFixed(1))} ms`;
}

/** Seconds as a person says them: `4 s`, `2 min 10 s`, `3 h`, `2 d 4 h`. Two units at most. */
export function duration(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  const units = Object.entries({ d: 86_400, h: 3_600, min: 60, s: 1 });
  const first = units.findIndex(([, size]) => whole >= size);
  const [unit, size] = units[first] ?? ['s', 1];
  const [nextUnit, nextSize] = units[first + 1] ?? ['', 0];
  const rest = nextSize === 0 ? 0 : Math.floor((whole % size) / nextSize);
  return `${Math.floor(whole / size)} ${unit}${rest === 0 ? '' : ` ${rest} ${nextUnit}`}`;
}

/** The time between two instants of the API, which have microseconds: `+0.041 s`, `+2 min 5 s`, `+3 h 12 min`, `+2 d 4 h`. */
export function elapsed(from: string, to: string): string {
  const micros = microsOf(to) - microsOf(from);
  const sign = micros < 0 ? '−' : '+';
  const seconds = Math.abs(micros) / 1e6;
  if (seconds < 60) return `${sign}${seconds.toFixed(3)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${sign}${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${sign}${hours} h ${minutes % 60} min` : `${sign}${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Since 1970: a safe integer until the year 2255. */
function microsOf(instant: string): number {
  const [, beyond = ''] = /\.\d{3}(\d{1,3})/.exec(instant) ?? [];
  return Date.parse(instant) * 1_000 + Number(beyond.padEnd(3, '0'));
}

/** An instant for which its minute says enough. The title and the attribute have all of it. */
export function minute(instant: string | null | undefined): Html {
  const [, date, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(instant ?? '') ?? [];
  if (date === undefined) return html`–`;
  return html`<time datetime="${instant}" title="${instant}" data-to="minute">${date} ${clock} UTC</time>`;
}

/**
 * An instant of the API: RFC 3339 with microseconds, in UTC. Without a script it is shown in UTC; islands/local-times.ts puts it into the
 * reader's zone. The attribute has it as it came.
 */
export function time(instant: string | null | undefined, otherwise = '–'): Html {
  if (instant === null || instant === undefined || instant === '') return html`${otherwise}`;
  const [, date, clock, fraction = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{3})?\d*Z$/.exec(instant) ?? [];
  const shown = date === undefined ? instant : `${date} ${clock}${fraction} UTC`;
  return html`<time datetime="${instant}" title="${instant}">${shown}</time>`;
}
