import { html, type Html } from '#lib/html';
import { withQuery } from '../../api-calls/paths.ts';
import type { Source } from '../../routes/sources/source.ts';

interface Noted {
  /** The path of the tenant's pages. */
  t: string;
  /** An identifier that came back with another body; null if there is none. */
  changedId: string | null;
}

/** Notes that the owner of a source should look at. */
export const sourceNotes = (source: Pick<Source, 'id' | 'advice'>, { t, changedId }: Noted): Html =>
  html`${source.advice.map((sentence) => html`<p class="note note-warn">${sentence}.</p>`)}${
    changedId !== null &&
    html`<p class="note note-warn">Identifiers came back with another body, such as <code>${changedId}</code>. Each was a duplicate, which no endpoint gets: <a href="${withQuery(`${t}/events`, { source_id: source.id, has: 'changed' })}">see these events</a>. If the webhooks were events of their own, <a href="${t}/sources/${source.id}/edit">change where the event id is from</a>.</p>`
  }`;
