import { html, type Html } from '#lib/html';

/** An instant for which its minute says enough. The title and the attribute have all of it. */
export function minute(instant: string | null | undefined): Html {
  const [, date, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(instant ?? '') ?? [];
  if (instant === null || instant === undefined || date === undefined || clock === undefined) return html`–`;
  return html`<time datetime="${instant}" title="${instant}" data-to="minute">${date} ${clock} UTC</time>`;
}
