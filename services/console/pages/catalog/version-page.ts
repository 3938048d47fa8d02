import type { EventTypeSummary, VersionCompatibility } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { TypeLinks } from '../../catalog/type-links.ts';
import type { Version } from '../../catalog/catalog.ts';
import { definitions } from '../../parts/definitions.ts';
import { table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import { typeText } from '../../parts/type-text.ts';
import { versionView } from './version-view.ts';

const compatibilities: Readonly<Record<VersionCompatibility, string>> = {
  initial: 'the first version',
  compatible: 'yes',
  breaking: 'no: receivers have to be changed',
};

/** A version of a type, and what it changed. */
export function versionPage(type: EventTypeSummary, version: Version, to: TypeLinks): Html {
  const { differences, compatibility, notes, published_at: publishedAt } = version;
  return html`<p>${version.version === type.version ? 'The newest version' : 'An older version'} of <a href="${to.type(type.name)}"><code>${type.name}</code></a>.</p>
${definitions([
  ['Published', time(publishedAt)],
  ['Compatible with the one before', compatibilities[compatibility]],
])}
${notes !== '' && typeText(notes, type.links, to)}
${
  differences.length > 0 &&
  html`<section class="card"><h2>Changes</h2>${table({
    caption: 'Differences from the version before',
    columns: [
      { header: 'Field', cell: ({ field }) => (field === '' ? 'the payload' : html`<code>${field}</code>`) },
      { header: 'Change', cell: ({ change }) => (change === 'unlisted' ? 'there may be more' : change) },
      { header: 'Breaking', cell: ({ breaking }) => (breaking ? 'yes' : 'no') },
    ],
    rows: differences,
  })}</section>`
}
${versionView(version)}`;
}
