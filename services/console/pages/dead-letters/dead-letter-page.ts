import { html, type Html } from '#lib/html';
import { count } from '../../parts/count.ts';
import { definitions } from '../../parts/definitions.ts';
import { endpointName, sourceName } from '../../parts/named-link.ts';
import { detailText } from '../../parts/outcome.ts';
import type { Payload, PayloadText } from '../../parts/payload-text.ts';
import { payloadView } from '../../parts/payload-view.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import { inWords } from '../../parts/words.ts';
import { deadLetterBadge } from './dead-letter-badge.ts';
import { lastOutcome, stageWords, type WholeDeadLetter } from '../../routes/dead-letters/dead-letter.ts';

/** A browser is slow with more, and so is a reader. */
const maxCharacters = 100_000;

interface DeadLetterView {
  letter: WholeDeadLetter;
  /** Undefined: kept no longer. */
  payload: { payload: Payload; text: PayloadText } | undefined;
  naming: Parameters<typeof endpointName>[1];
}

export function deadLetterPage({ letter, payload, naming }: DeadLetterView): Html {
  const { t } = naming;
  const { event_id: eventId, delivery_id: deliveryId, replay_id: replayId } = letter;
  return html`${whatHappened(letter)}
<section class="card"><h2>Facts</h2>${definitions([
    ['Status', deadLetterBadge(letter)],
    ['Reason', inWords(letter.reason)],
    ['Failed while', stageWords[letter.stage] ?? letter.stage],
    ['Attempts', count(letter.attempts)],
    ['Dead since', time(letter.at)],
    ['Event type', letter.event_type ?? 'unknown'],
    [
      'Event',
      eventId === null
        ? 'none: it was not accepted yet'
        : html`<a href="${t}/events/${encodeURIComponent(eventId)}"><code class="id">${eventId}</code></a>`,
    ],
    deliveryId !== null && [
      'Delivery',
      html`<a href="${t}/deliveries/${encodeURIComponent(deliveryId)}"><code class="id">${deliveryId}</code></a>`,
    ],
    letter.endpoint_id !== null && ['Endpoint', endpointName(letter.endpoint_id, naming)],
    letter.source_id !== null && ['Source', sourceName(letter.source_id, naming)],
    replayId !== null && [
      letter.status === 'replaying' ? 'Being replayed by' : 'Last replayed by',
      html`<a href="${t}/replays/${replayId}"><code class="id">${replayId}</code></a>`,
    ],
    letter.replayed_at !== null && ['Replayed', time(letter.replayed_at)],
    letter.replayed_delivery !== null && ['Sent again as', replayedDelivery(letter.replayed_delivery, t)],
    ['Replay generation', count(letter.generation)],
    ['Origin', html`<code class="id">${letter.origin}</code>`],
    ['Key of the record', letter.key === null ? 'none' : html`<code class="id">${letter.key}</code>`],
  ])}</section>
<section class="card"><h2>Payload</h2>${payloadOf(letter, payload, t)}</section>
<section class="card"><h2>Headers of the record</h2>${headers(letter)}</section>`;
}

const replayedDelivery = ({ id, status }: { id: string; status: string }, t: string): Html =>
  html`<a href="${t}/deliveries/${encodeURIComponent(id)}"><code class="id">${id}</code></a> ${statusBadge(status)}`;

function whatHappened(letter: WholeDeadLetter): Html | null {
  const outcome = lastOutcome(letter);
  const sentence =
    detailText(letter.last_detail, null) ?? (outcome === undefined ? null : `The last attempt: ${outcome}`);
  return html`${sentence !== null && html`<p class="note note-bad">${sentence}</p>`}${
    letter.shortened &&
    html`<p class="note note-warn">Kafka refused the complete record, so its payload was cut and it can’t be replayed.${
      letter.original_bytes !== null && html` The whole had ${count(letter.original_bytes)} bytes`
    }${letter.original_sha256 !== null && html`, SHA-256 <code>${letter.original_sha256}</code>`}.</p>`
  }`;
}

function payloadOf({ event_id: eventId }: WholeDeadLetter, kept: DeadLetterView['payload'], t: string): Html {
  if (kept === undefined) return html`<p>The payload has been removed: its retention time is over.</p>`;
  const href = eventId === null ? undefined : `${t}/events/${encodeURIComponent(eventId)}/payload`;
  return payloadView({ ...kept, maxCharacters, ...(href !== undefined && { href }) });
}

function headers({ headers: all }: WholeDeadLetter): Html {
  const rows = Object.entries(all).flatMap(([name, values]) => [values].flat().map((value) => ({ name, value })));
  return rows.length === 0
    ? html`<p>None.</p>`
    : table({
        caption: 'Headers of the record',
        rows,
        columns: [
          { header: 'Name', cell: ({ name }) => html`<code>${name}</code>` },
          { header: 'Value', cell: ({ value }) => html`<code>${value}</code>` },
        ],
      });
}
