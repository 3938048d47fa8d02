import { html, type Html, type HtmlValue } from '#lib/html';
import type { Asked } from '../../api-calls/console-api.ts';

/** A part of a page that stands by itself. */
export const card = (title: Html | string, body: HtmlValue): Html =>
  html`<section class="card"><h2>${title}</h2>${body}</section>`;

/** Shows the answer, or that there is none. @param what as in `The endpoints` */
export const unlessAway = <T>(answer: Asked<T>, what: string, shown: (value: T) => HtmlValue): HtmlValue =>
  answer.ok ? shown(answer.value) : notAsked(what, answer);

/** @param what the subject of a sentence */
export function notAsked(what: string, { failure }: Extract<Asked<unknown>, { ok: false }>): Html {
  const why = failure.kind === 'no_answer' ? 'the API does not answer' : `the API answered ${failure.status}`;
  return html`<p class="note note-warn">${what} can’t be shown now: ${why}. Reload the page to try again.</p>`;
}
