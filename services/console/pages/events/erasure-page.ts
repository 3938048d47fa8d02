import { html, type Html } from '#lib/html';
import type { PageContent } from '../../page-result.ts';
import { count } from '../../parts/count.ts';
import { definitions } from '../../parts/definitions.ts';
import { wholeId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import type { Erasure } from '../../routes/events/event.ts';

/** The receipt of an erasure: what was removed, and what Kafka keeps until when. */
export const erasurePage = (erasure: Erasure, t: string): PageContent => ({
  title: 'Erasure',
  heading: html`Erasure ${statusBadge(erasure.status)}`,
  subtitle: wholeId(erasure.id),
  crumbs: [{ label: 'Events', href: `${t}/events` }],
  body: html`${
    erasure.status === 'running' &&
    html`<p class="note">It runs, also when this page is closed. Reload the page to see how far it is.</p>`
  }
${definitions([
  erasure.event_id !== null && [
    'Event',
    html`<a href="${t}/events/${encodeURIComponent(erasure.event_id)}"><code>${erasure.event_id}</code></a>`,
  ],
  erasure.filtered_by.length > 0 && ['Filtered by', erasure.filtered_by.join(', ')],
  ['Events erased', count(erasure.events)],
  ['Of those received by', time(erasure.as_of)],
  ['Begun', time(erasure.created_at)],
  ['Completed', time(erasure.completed_at, 'not yet')],
])}
<section class="part"><h2>Removed from the database</h2>${removedRows(erasure)}</section>
<section class="part"><h2>Kept by Kafka</h2>${keptByKafka(erasure)}</section>`,
});

function removedRows({ removed }: Erasure): Html {
  const rows = Object.entries(removed).filter(([, rowCount]) => rowCount > 0);
  return rows.length === 0
    ? html`<p class="note">No rows yet.</p>`
    : table({
        caption: 'Rows removed or emptied, by table',
        rows,
        columns: [
          { header: 'Table', cell: ([name]) => html`<code>${name}</code>` },
          { header: 'Rows', isNumber: true, cell: ([, rowCount]) => count(rowCount) },
        ],
      });
}

function keptByKafka({ kafka }: Erasure): Html {
  if (kafka === null) return html`<p class="note">Known once the erasure has completed.</p>`;
  return table({
    caption: 'Topics, and until when they keep bytes',
    rows: kafka,
    columns: [
      { header: 'Topic', cell: ({ topic }) => html`<code>${topic}</code>` },
      { header: 'Until', cell: ({ kept_until: until }) => time(until, 'for ever') },
    ],
  });
}
