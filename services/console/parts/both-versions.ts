import { html, type Html } from '#lib/html';
import { table } from './table.ts';

/**
 * Somebody else has saved something since the form was opened: what differs, side by side.
 *
 * @param yours as it was entered, by field. @param theirs as it is saved now
 */
export function bothVersions(yours: URLSearchParams, theirs: URLSearchParams): Html {
  const rows = differing(yours, theirs);
  return html`<div class="error-summary" role="alert" tabindex="-1" autofocus><h2>Somebody else has changed it in the meantime</h2>
<p>Nothing was saved. Your version is still in the form: save it again to replace the other one, or take over from it what you want to keep.</p></div>
${
  rows.length > 0 &&
  table({
    caption: 'What differs',
    rows,
    columns: [
      { header: 'Field', cell: ({ name }) => name.replaceAll('/', ', ').replaceAll('_', ' ') },
      { header: 'Your version', cell: (row) => shown(row.yours) },
      { header: 'Saved now', cell: (row) => shown(row.theirs) },
    ],
  })
}`;
}

interface Differing {
  name: string;
  yours: string;
  theirs: string;
}

/** None: somebody, perhaps the same form sent twice, has saved just that. */
export const differing = (yours: URLSearchParams, theirs: URLSearchParams): Differing[] =>
  [...new Set([...theirs.keys(), ...yours.keys()])]
    .map((name) => ({ name, yours: plain(yours.get(name)), theirs: plain(theirs.get(name)) }))
    .filter((row) => row.yours !== row.theirs);

/** Forms end lines in their own way. */
const plain = (text: string | null): string => (text ?? '').replaceAll('\r\n', '\n').trim();

const shown = (text: string): Html =>
  text === '' ? html`<span class="muted">empty</span>` : html`<code>${text}</code>`;
