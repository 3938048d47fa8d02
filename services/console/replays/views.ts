import type { Replay, ReplayWithFailures } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { table } from '../ui/lists.ts';
import { statusBadge } from '../ui/status.ts';
import { count, endpointName, inWords, plural, shortId, sourceName } from '../ui/text.ts';
import { duration, time } from '../ui/times.ts';
import type { Preview } from './new.ts';
import { bulkKinds, type Selection } from './selection.ts';

/** Items are still to be sent: it can be cancelled. */
export const isUnderWay = ({ status }: Pick<Replay, 'status'>): boolean => status === 'queued' || status === 'running';

/** Something of it may change. */
export const isOpen = (replay: Replay): boolean => isUnderWay(replay) || (replay.outcome?.waiting ?? 0) > 0;

/** The replay's title. */
export function replayTitle({ operation, request }: Replay): string {
  switch (operation) {
    case 'replay_events':
      return 'Replay of events';
    case 'retry_deliveries':
      return 'Retry of deliveries';
    case 'cancel_deliveries':
      return 'Cancellation of deliveries';
    case null:
      if ('test' in request) return 'Test of an endpoint';
      if ('delivery_id' in request) return 'Retry of a delivery';
      return 'event_id' in request ? 'Replay of an event' : 'Replay of dead letters';
  }
}

/** The word for an item that is done: `26 sent`. */
export const doneWord = ({ operation }: Replay): string =>
  operation === 'cancel_deliveries'
    ? 'asked to be cancelled'
    : operation === 'retry_deliveries'
      ? 'made due or sent'
      : 'sent';

type Naming = Parameters<typeof endpointName>[1];

/** Why an item could not be sent. */
const failureWords: Readonly<Record<string, string>> = {
  batch_undecodable: 'its batch still can’t be decoded',
  payload_expired: 'its payload has been removed',
  endpoint_deleted: 'its endpoint was deleted',
  endpoint_disabled: 'its endpoint is disabled',
};

export const failureWord = (reason: string | null): string =>
  reason === null ? '–' : (failureWords[reason] ?? inWords(reason));

/** One word that is true: a replay of which nothing arrived has not gone well. */
export function replayBadge({ status, operation, failed, outcome }: Replay): Html {
  if (status === 'partial') return statusBadge(status, 'ended at its limit', 'warn');
  if (status !== 'completed' || operation === 'cancel_deliveries') return statusBadge(status);
  const { delivered = 0, dead_lettered: dead = 0, cancelled = 0 } = outcome ?? {};
  if (failed + dead + cancelled === 0) return statusBadge(status);
  return delivered > 0
    ? statusBadge(status, 'some not delivered', 'warn')
    : statusBadge(status, 'nothing delivered', 'bad');
}

/** The replay's request, in lines: the members of the filter first, then the rest. */
export function requestWords(request: Readonly<Record<string, unknown>>, naming: Naming): Html {
  const { filter = {}, ...rest } = request;
  const lines = [
    ...Object.entries(filter as object),
    ...Object.entries(rest).filter(([name]) => !saidElsewhere.includes(name)),
  ].map(([name, value]) => html`<li>${inPlainWords(name)} ${named(name, value, naming) ?? valueWords(value)}</li>`);
  return lines.length === 0 ? html`–` : html`<ul class="asked-for">${lines}</ul>`;
}

/** By the page itself: the rate, and the time of the preview. */
const saidElsewhere = ['rate_per_second', 'as_of', 'dry_run'];

const inPlainWords = (name: string): string => inWords(memberWords[name] ?? name);

/** Members that are shown by the name of what they lead to. */
const memberWords: Readonly<Record<string, string>> = { endpoint_id: 'endpoint', source_id: 'source' };

function named(member: string, value: unknown, naming: Naming): Html | undefined {
  if (typeof value !== 'string') return undefined;
  if (member === 'endpoint_id') return endpointName(value, naming);
  return member === 'source_id' ? sourceName(value, naming) : undefined;
}

const shownValues = 5;

/** RFC 3339. */
const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function valueWords(value: unknown): Html {
  if (typeof value === 'string' && instant.test(value)) return time(value);
  return html`<code>${textOf(value)}</code>`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    const more = value.length - shownValues;
    return value.slice(0, shownValues).map(String).join(', ') + (more > 0 ? ` and ${more} more` : '');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** How far a replay is: on its page, and what islands/live-replay.ts puts there while it runs. @param href its page */
export function replayProgress(replay: ReplayWithFailures, href: string): Html {
  const { status, matched, replayed, failed, remaining, left_out: leftOut } = replay;
  const done = replayed + failed;
  return html`<div class="replay-progress" data-status="${status}"${isOpen(replay) && html` data-open`}>
<p class="replay-state">${replayBadge(replay)} <span>${stateWords(replay)}</span></p>
<progress aria-label="Items that are done" max="${Math.max(1, matched)}" value="${matched === 0 && !isUnderWay(replay) ? 1 : done}"></progress>
<dl class="figures">
${figure('Matched', matched)}${figure(capital(doneWord(replay)), replayed)}${figure('Could not be sent', failed, failed > 0 && `${href}/items?status=failed`)}${figure('Left', remaining)}${leftOut > 0 && figure('Left out', leftOut)}
</dl>
${replay.outcome !== null && replayed > 0 && outcomeFigures(replay.outcome, href)}
${replay.sent_at !== null && replay.ended_at === null && html`<p class="muted">All sent ${time(replay.sent_at)}.</p>`}
${replay.ended_at !== null && html`<p class="muted">Ended ${time(replay.ended_at)}.</p>`}
${leftOut > 0 && html`<p class="muted">Left out: counted by the preview, but matches no longer, or is part of another replay.</p>`}
${failed > 0 && failures(replay)}</div>`;
}

/** `sent` alone says nothing about what became of it. */
const outcomeFigures = (
  { delivered, waiting, dead_lettered: dead, cancelled }: NonNullable<ReplayWithFailures['outcome']>,
  href: string,
): Html => html`<h2>What became of it</h2><dl class="figures">
${figure('Delivered', delivered)}${figure('Waiting', waiting)}${figure('Dead-lettered', dead, dead > 0 && `${href}/items?outcome=dead_lettered`)}${cancelled > 0 && figure('Cancelled', cancelled)}
</dl>`;

const figure = (label: string, value: number, href: string | false = false): Html =>
  html`<div><dt>${label}</dt><dd>${href === false ? count(value) : html`<a href="${href}">${count(value)}</a>`}</dd></div>`;

function stateWords(replay: ReplayWithFailures): string {
  const { status, matched, replayed, failed, remaining, rate_per_second: rate, ahead } = replay;
  const so = `${count(replayed + failed)} of ${count(matched)} done`;
  switch (status) {
    case 'queued':
      return `Waits for ${plural(ahead, 'earlier replay')} of this tenant to end.`;
    case 'running':
      if (ahead > 0) return `${so}; waits for ${plural(ahead, 'earlier replay')} of this tenant to end.`;
      return rate === null || remaining === 0
        ? `${so}.`
        : `${so}, about ${duration(remaining / rate)} left at ${rate} a second.`;
    case 'sent':
      return `All is sent; ${plural(replay.outcome?.waiting ?? 0, 'delivery', 'deliveries')} still open.`;
    case 'completed':
      return matched === 0 ? 'Nothing was left to do.' : `${so}.`;
    case 'partial':
      return `${so}. More matched than its limit allowed.`;
    case 'cancelled':
      return `${so} when it was cancelled; ${count(remaining)} left as they were${replay.operation === null ? ': dead letters' : ''}.`;
  }
}

const failures = ({ operation, failures: reasons }: ReplayWithFailures): Html =>
  html`<h2>Could not be sent</h2><ul>${Object.entries(reasons).map(([reason, n]) => html`<li>${count(n)}: ${failureWord(reason)}</li>`)}</ul>
${operation === null && html`<p class="muted">These could not be sent, and are dead letters as before.</p>`}`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * The preview of a replay: how many it takes, of which endpoints, why, and how long it lasts.
 *
 * @param start the button that begins it; null for who may not
 */
export function previewView(preview: Preview, { kind, rate }: Selection, naming: Naming, start: Html | null): Html {
  const { at, matched, left_out: leftOut, complete, seconds, ids } = preview;
  const { does, counted } = bulkKinds[kind];
  const [one, several] = counted;
  return html`<section class="card preview">
<p class="lead"><strong>${complete ? '' : 'At least '}${plural(matched, one, several)}</strong> as of ${time(at)}. Later ones are not taken.</p>
${seconds !== null && html`<p>At ${rate ?? ''} a second it takes about ${duration(seconds)}.</p>`}
${leftOut > 0 && html`<p class="note note-warn">${count(leftOut)} more match, and are left out: the limit is ${count(matched)}.</p>`}
${!complete && html`<p class="note note-warn">There are too many to count them all at once: the others are taken too.</p>`}
<p class="muted">${does}</p>
${start}</section>
<div class="cards">
<section class="card"><h2>By endpoint</h2>${table({
    caption: 'By endpoint',
    rows: preview.by_endpoint,
    columns: [
      { header: 'Endpoint', cell: ({ endpoint_id: id }) => (id === null ? 'none' : endpointName(id, naming)) },
      {
        header: capital(several),
        isNumber: true,
        cell: ({ deliveries, at_most: isAtMost }) => `${isAtMost ? 'at most ' : ''}${count(deliveries)}`,
      },
    ],
  })}${preview.by_endpoint.some(({ at_most: isAtMost }) => isAtMost) && html`<p class="muted">“At most”: its payload filter is evaluated when the events are sent.</p>`}</section>
<section class="card"><h2>${kind === 'events' ? 'By status' : 'By reason'}</h2>${table({
    caption: 'By reason',
    rows: preview.by_reason,
    columns: [
      { header: kind === 'events' ? 'Status of the event' : 'Reason', cell: ({ reason }) => inWords(reason) },
      { header: 'How many', isNumber: true, cell: ({ deliveries }) => count(deliveries) },
    ],
  })}</section></div>
${ids.length > 0 && html`<details><summary>The first ${count(ids.length)}</summary><ul class="links">${ids.map((id) => html`<li><a href="${naming.t}/dead-letters/${id}">${shortId(id)}</a></li>`)}</ul></details>`}`;
}
