import { html, type Html } from '#lib/html';
import { brandMark } from '../brand-mark.ts';
import type { Shell } from '../shell.ts';
import { languages } from './verify-page.ts';

/** Around pages of the catalog: they are the same for everyone. */
export const catalogHeader = ({ base, query }: Shell): Html =>
  html`<header class="top">
<a class="brand" href="${base}/catalog">${brandMark}<span>Event catalog</span></a>
<form class="search" role="search" action="${base}/catalog/search"><label class="visually-hidden" for="q">Search the event types</label><input id="q" type="search" name="q" value="${query}" placeholder="Search event types …" autocomplete="off" spellcheck="false" maxlength="200"></form>
</header>`;

export const catalogNavigation = ({ base, here }: Shell): Html => {
  const entry = (path: string, label: string): Html =>
    html`<li><a href="${base}${path}"${here === base + path && html` aria-current="page"`}>${label}</a></li>`;
  return html`<nav class="sections" aria-label="Sections">
<ul>${entry('/catalog', 'Event types')}${entry('/catalog/changes', 'Changes')}</ul>
<ul>${Object.entries(languages).map(([path, { name }]) => entry(`/catalog/verify/${path}`, `Verify in ${name}`))}</ul>
</nav>`;
};
