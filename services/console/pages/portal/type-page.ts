import { html, type Html } from '#lib/html';
import type { TypeWithNewest } from '../../catalog/catalog.ts';
import type { TypeLinks } from '../../catalog/type-links.ts';
import { definitions } from '../../parts/definitions.ts';
import { time } from '../../parts/time.ts';
import { typeText } from '../../parts/type-text.ts';
import { banners } from '../catalog/banner.ts';
import { numbersUpTo } from '../catalog/type-page.ts';
import { versionView } from '../catalog/version-view.ts';

/** A type as a customer is told of it. */
export const customerTypePage = (type: TypeWithNewest, to: TypeLinks): Html => {
  const { name, description, notes, links, newest, category, deprecation } = type;
  return html`${banners(type, deprecation?.successor ?? undefined, to)}
${typeText(description, links, to)}
${definitions([
  ['Category', category ?? 'none'],
  newest !== null && ['Version', html`${newest.version}, published ${time(newest.published_at)}`],
])}
${notes !== '' && html`<section class="card"><h2>Notes</h2>${typeText(notes, links, to)}</section>`}
${
  newest === null
    ? html`<p class="muted">Its payload is not described.</p>`
    : html`${versionView(newest)}
<section class="card"><h2>Versions</h2>${newest.notes !== '' && typeText(newest.notes, links, to)}<ul>${numbersUpTo(newest.version).map((number) => html`<li><a href="${to.version(name, number)}">Version ${number}</a></li>`)}</ul></section>`
}`;
};
