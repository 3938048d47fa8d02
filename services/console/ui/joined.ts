import { html, type Html, type HtmlValue } from '#lib/html';

/** Items of a sentence, with commas between them. */
export const joined = (items: readonly HtmlValue[]): Html =>
  html`${items.map((item, index) => html`${index > 0 && ', '}${item}`)}`;
