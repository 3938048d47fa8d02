import type { DeadLetter, DeadLetterWithPayload } from '#lib/api-contract';
import { deadLetterReasons, deadLetterStages } from '#lib/contract';
import { type Html, html } from '#lib/html';
import type { Payload } from '../api-calls/calls.ts';
import type { TenantNames } from '../api-calls/tenant-names.ts';
import { type Filter, headersTable } from '../ui/lists.ts';
import { type PayloadText, payloadView } from '../ui/payload.ts';
import { detailText, statusBadge } from '../ui/status.ts';
import { count, definitions, endpointName, endpointOptions, inWords, sourceName, sourceOptions } from '../ui/text.ts';
import { time } from '../ui/times.ts';

/** The last attempt's outcome, in a few words; undefined if nothing was sent. */
export function lastOutcome({ last_outcome: outcome, last_http_status: status }: DeadLetter): string | undefined {
  if (status !== null) return `HTTP ${status}`;
  return outcome === null ? undefined : (outcomes[outcome] ?? inWords(outcome));
}

const outcomes: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  connect: 'no connection',
  tls: 'TLS failed',
  blocked: 'address not allowed',
};

/** Where it was dead-lettered. */
const stageWords: Readonly<Record<string, string>> = {
  dedup: 'accepting the webhook',
  'fan-out': 'choosing the endpoints',
  dispatcher: 'sending to the endpoint',
  projector: 'writing to the database',
};

/** A dead letter that was replayed says what became of it, since that it was sent is no end. */
export function deadLetterBadge({ status, replayed_delivery: delivery }: DeadLetter): Html {
  if (status !== 'replayed' || delivery === null) return statusBadge(status);
  return statusBadge(status, ...(whatBecame[delivery.status] ?? (['replayed, waits', 'busy'] as const)));
}

const whatBecame: Readonly<Record<string, readonly [label: string, tone: 'good' | 'bad' | 'idle']>> = {
  delivered: ['replayed, delivered', 'good'],
  dead_lettered: ['replayed, dead again', 'bad'],
  cancelled: ['replayed, cancelled', 'idle'],
};

/** The filters that choose what a replay takes. */
export const deadLetterFilters = (names: TenantNames, query: URLSearchParams): readonly Filter[] => [
  { kind: 'choice', name: 'endpoint_id', label: 'Endpoint', options: endpointOptions(names, query.get('endpoint_id')) },
  { kind: 'text', name: 'event_type', label: 'Event type', placeholder: 'invoice.paid' },
  { kind: 'choice', name: 'source_id', label: 'Source', options: sourceOptions(names, query.get('source_id')) },
  {
    kind: 'choice',
    name: 'reason',
    label: 'Reason',
    options: Object.keys(deadLetterReasons).map((value) => ({ value, label: inWords(value) })),
  },
  {
    kind: 'choice',
    name: 'stage',
    label: 'Failed while',
    options: deadLetterStages.map((value) => ({ value, label: stageWords[value] ?? value })),
  },
  { kind: 'time', name: 'since', label: 'From' },
  { kind: 'time', name: 'until', label: 'Until' },
];

export const deadLetterStatusFilter: Filter = {
  kind: 'choice',
  name: 'status',
  label: 'Status',
  options: ['dead', 'replaying', 'replayed'],
};

/** A browser is slow with more, and so is a reader. */
const maxCharacters = 100_000;

/** Undefined: kept no longer. */
type ShownPayload = { payload: Payload; text: PayloadText } | undefined;

export function deadLetterPage(
  letter: DeadLetterWithPayload,
  payload: ShownPayload,
  naming: Parameters<typeof endpointName>[1],
): Html {
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
<section class="card"><h2>Headers of the record</h2>${headersTable('Headers of the record', letter.headers) ?? html`<p>None.</p>`}</section>`;
}

const replayedDelivery = ({ id, status }: { id: string; status: string }, t: string): Html =>
  html`<a href="${t}/deliveries/${encodeURIComponent(id)}"><code class="id">${id}</code></a> ${statusBadge(status)}`;

function whatHappened(letter: DeadLetterWithPayload): Html | null {
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

function payloadOf({ event_id: eventId }: DeadLetterWithPayload, kept: ShownPayload, t: string): Html {
  if (kept === undefined) return html`<p>The payload has been removed: its retention time is over.</p>`;
  const href = eventId === null ? undefined : `${t}/events/${encodeURIComponent(eventId)}/payload`;
  return payloadView({ ...kept, maxCharacters, ...(href !== undefined && { href }) });
}
