import { html, type Html } from '#lib/html';

/** The end of an id tells it from its neighbours: its beginning is the time. */
const shownCharacters = 8;

/** An id in a list: its kind and its end, the whole of it in the title. */
export function shortId(id: string): Html {
  const [, prefix, rest] = /^([a-z]+_)([0-9a-z]+)$/.exec(id) ?? [];
  const isShort = prefix === undefined || rest === undefined || rest.length <= shownCharacters + 2;
  return html`<code class="id" title="${id}">${isShort ? id : `${prefix}…${rest.slice(-shownCharacters)}`}</code>`;
}

/** A whole id, with a button that copies it. */
export const wholeId = (id: string): Html =>
  html`<code class="id">${id}</code> <copy-button data-text="${id}" data-label="Copy the id"></copy-button>`;
