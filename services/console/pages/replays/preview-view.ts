import { html, type Html } from '#lib/html';
import type { TenantNames } from '../../api-calls/tenant-names.ts';
import { count } from '../../parts/count.ts';
import { duration } from '../../parts/duration.ts';
import { endpointName } from '../../parts/named-link.ts';
import { shortId } from '../../parts/short-id.ts';
import { table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import { inWords, plural } from '../../parts/words.ts';
import type { Preview } from '../../routes/replays/preview.ts';
import { type BulkKind, bulkKinds, type Selection } from '../../routes/replays/selection.ts';

interface PreviewView {
  preview: Preview;
  selection: Selection;
  t: string;
  names: TenantNames;
  /** The button that begins it; null for who may not. */
  start: Html | null;
}

/** The preview of a replay: how many it takes, of which endpoints, why, and how long it lasts. */
export function previewView({ preview, selection, t, names, start }: PreviewView): Html {
  const { at, matched, leftOut, isComplete, byEndpoint, byReason, seconds, ids } = preview;
  const { kind, rate } = selection;
  return html`<section class="card preview">
<p class="lead"><strong>${isComplete ? '' : 'At least '}${thingsOf(kind, matched)}</strong> as of ${time(at)}. Later ones are not taken.</p>
${seconds !== undefined && html`<p>At ${rate ?? ''} a second it takes about ${duration(seconds)}.</p>`}
${leftOut > 0 && html`<p class="note note-warn">${count(leftOut)} more match, and are left out: the limit is ${count(matched)}.</p>`}
${!isComplete && html`<p class="note note-warn">There are too many to count them all at once: the others are taken too.</p>`}
${whatHappens[kind]}
${start}</section>
<div class="cards">
<section class="card"><h2>By endpoint</h2>${table({
    caption: 'By endpoint',
    rows: byEndpoint,
    columns: [
      {
        header: 'Endpoint',
        cell: ({ endpointId }) => (endpointId === null ? 'none' : endpointName(endpointId, { t, names })),
      },
      {
        header: capital(bulkKinds[kind].thing === 'delivery' ? 'deliveries' : 'dead letters'),
        isNumber: true,
        cell: ({ n, isAtMost }) => `${isAtMost ? 'at most ' : ''}${count(n)}`,
      },
    ],
  })}${byEndpoint.some(({ isAtMost }) => isAtMost) && html`<p class="muted">“At most”: its payload filter is evaluated when the events are sent.</p>`}</section>
<section class="card"><h2>${kind === 'events' ? 'By status' : 'By reason'}</h2>${table({
    caption: 'By reason',
    rows: byReason,
    columns: [
      { header: kind === 'events' ? 'Status of the event' : 'Reason', cell: ({ reason }) => inWords(reason) },
      { header: 'How many', isNumber: true, cell: ({ n }) => count(n) },
    ],
  })}</section></div>
${ids.length > 0 && html`<details><summary>The first ${count(ids.length)}</summary><ul class="links">${ids.map((id) => html`<li><a href="${t}/dead-letters/${id}">${shortId(id)}</a></li>`)}</ul></details>`}`;
}

const thingsOf = (kind: BulkKind, n: number): string =>
  bulkKinds[kind].thing === 'delivery' ? plural(n, 'delivery', 'deliveries') : plural(n, 'dead letter');

const whatHappens: Readonly<Record<BulkKind, Html>> = {
  dead_letters: html`<p class="muted">Each is sent again with a whole new retry window, oldest first.</p>`,
  events: html`<p class="muted">Each event is sent again to the endpoints that match it today, with a whole new retry window.</p>`,
  retry: html`<p class="muted">Deliveries that wait become due now; dead-lettered ones are sent again with a whole new retry window.</p>`,
  cancel: html`<p class="muted">These deliveries end as cancelled within seconds, unless the attempt in flight succeeds. They are not sent any more.</p>`,
};
