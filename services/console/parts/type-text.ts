import { type EventTypeSummary, isWrittenLikeTypeName, typeLinkPattern } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { TypeLinks } from '../catalog/type-links.ts';

/** Paragraphs that a tenant has written, with links to other types: to the name that each has today. What is no page is text. */
export const typeText = (text: string, links: EventTypeSummary['links'], to: TypeLinks): Html =>
  html`${text
    .trim()
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => html`<p class="prose">${linked(paragraph, links, to)}</p>`)}`;

function linked(text: string, links: EventTypeSummary['links'], to: TypeLinks): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(typeLinkPattern)) {
    const [whole, name = ''] = match;
    parts.push(html`${text.slice(at, match.index)}`, linkOf(name, links, to));
    at = match.index + whole.length;
  }
  return [...parts, html`${text.slice(at)}`];
}

function linkOf(name: string, links: EventTypeSummary['links'], to: TypeLinks): Html {
  const link = Object.hasOwn(links, name) ? links[name] : undefined;
  if (link === undefined) return isWrittenLikeTypeName(name) ? html`<code>${name}</code>` : html`[[${name}]]`;
  if (link.target === null || link.status === 'retired') return html`<code>${name}</code> (retired)`;
  if (!to.shows(link.visibility)) return html`<code>${name}</code>`;
  return html`<a href="${to.type(link.target)}"><code>${link.target}</code></a>`;
}
