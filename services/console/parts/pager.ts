import { html, type Html } from '#lib/html';
import type { ListPage } from '../api-calls/console-api.ts';
import { withQuery } from '../api-calls/paths.ts';

interface Pager extends Pick<ListPage<unknown>, 'next' | 'prev'> {
  /** The path of the list. */
  href: string;
  /** The words for the directions in this list. */
  words?: { prev: string; next: string };
}

/** Links to the pages beside this one; nothing for a list of one page. */
export function pager({ href, next, prev, words = { prev: 'Previous', next: 'Next' } }: Pager): Html | null {
  if (next === undefined && prev === undefined) return null;
  return html`<nav class="pager" aria-label="Pages">
${prev && html`<a rel="prev" href="${withQuery(href, prev)}">‹ ${words.prev}</a>`}
${next && html`<a rel="next" href="${withQuery(href, next)}">${words.next} ›</a>`}
</nav>`;
}
