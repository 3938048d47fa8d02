import { html, type Html } from '#lib/html';

/** Behind what a URL or the name of a type may be broken, before it is broken anywhere. */
const breaksBehind = /(?<=[/._-])(?=[^/._-])/;

/** A name or URL in a narrow column. Whoever copies it gets the same text. */
export const breakable = (text: string): Html =>
  html`${text.split(breaksBehind).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}`;
