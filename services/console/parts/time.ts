import { html, type Html } from '#lib/html';

/**
 * An instant of the API: RFC 3339 with microseconds, in UTC. Without a script it is shown in UTC; islands/local-times.ts puts it into the
 * reader's zone. The attribute has it as it came.
 */
export function time(instant: string | null | undefined, otherwise = '–'): Html {
  if (instant === null || instant === undefined || instant === '') return html`${otherwise}`;
  const [, date, clock, fraction = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{3})?\d*Z$/.exec(instant) ?? [];
  const shown = date === undefined || clock === undefined ? instant : `${date} ${clock}${fraction} UTC`;
  return html`<time datetime="${instant}" title="${instant}">${shown}</time>`;
}
