import type { Attempt, Delivery, Endpoint, EndpointHealth } from '#lib/api-contract';
import { endpointDefaults } from '#lib/contract';
import { html, type Html } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import type { TenantContext } from '../page.ts';
import { phaseBar, phases } from '../ui/chart.ts';
import { type Column, pager, table } from '../ui/lists.ts';
import { detailText, outcomeBadge, statusBadge } from '../ui/status.ts';
import { count, definitions, plural, shortId } from '../ui/text.ts';
import { duration, milliseconds, time } from '../ui/times.ts';
import { curlDetails } from './as-curl.ts';
import { isOpen, type ShownDelivery } from './read.ts';

/** Why a delivery waits: what the API knows of it, in sentences. The rules are those of the dispatcher (services/dispatcher/send/decide.ts). */

/** Answers with which a receiver may ask for time. */
const asksToWait = [429, 503];

/** The attempt's Retry-After, if the dispatcher goes by it. */
function retryAfterOf({ http_status: status, response_headers: headers }: Attempt): string | undefined {
  const value = headers?.['retry-after'];
  if (value === undefined || status === null || !asksToWait.includes(status)) return undefined;
  return /^\d{1,9}(?:\.\d+)?$/.test(value) ? duration(Math.ceil(Number(value))) : value;
}

/** The wait that the endpoint's settings have after an attempt. */
function plannedWait(attempt: number, retry: Endpoint['retry']): string {
  if (retry.schedule !== undefined) {
    const wait = retry.schedule[attempt - 1];
    return wait === undefined ? 'schedule' : `schedule: ${wait === 0 ? 'at once' : duration(wait)}`;
  }
  const { base_seconds: base, cap_seconds: cap } = { ...endpointDefaults.retry, ...retry };
  return `backoff: random, up to ${duration(Math.min(cap, base * 2 ** (attempt - 1)))}`;
}

/** Below it nothing is worth a reason. */
const noticedMs = 2_000;

/** Up to it a wait is told to the hundredth of a second. */
const exactMs = 10_000;

/** The reason for the wait between an attempt and the one before it, or the creation of the delivery. */
function waitedBecause(attempt: Attempt, before: Attempt | undefined, { delivery, endpoint }: ShownDelivery): string {
  const startedMs = Date.parse(attempt.at) - (attempt.duration_ms ?? 0);
  const waitedMs = startedMs - Date.parse(before?.at ?? delivery.created_at);
  const waited = waitedMs < 1_000 ? '' : waitedMs < exactMs ? milliseconds(waitedMs) : duration(waitedMs / 1_000);
  if (before === undefined)
    return attempt.attempt > 1 || waitedMs < noticedMs ? '' : `${waited} · waited for room at the endpoint`;
  const retryAfter = retryAfterOf(before);
  const asked = retryAfter !== undefined && `Retry-After ${retryAfter}`;
  const planned = endpoint && plannedWait(before.attempt, endpoint.retry);
  return [waited, asked, planned].filter(Boolean).join(' · ');
}

type Waiting = Pick<ShownDelivery, 'delivery' | 'endpoint' | 'health' | 'lastAttempt'> & { nowMs: number };

/** Why an open delivery is not sent at this moment, what holds it longest first. Empty for one that has ended. */
function whyWaits({ delivery, endpoint, health, lastAttempt, nowMs }: Waiting): readonly Html[] {
  const { status, next_attempt_at: next } = delivery;
  if (!isOpen(delivery)) return [];
  const held = heldBy(endpoint, health);
  if (status === 'parked')
    return held.length > 0
      ? held
      : [html`It is parked: it waits for room at the endpoint, without using up an attempt.`];
  if (status === 'pending') return [...held, html`It is being sent, or is about to be.`];
  const isDue = next !== null && Date.parse(next) <= nowMs;
  return [...held, isDue ? html`It is due, and waits for its turn.` : becauseOf(lastAttempt, endpoint)];
}

function heldBy(endpoint: Endpoint | undefined, health: EndpointHealth | undefined): Html[] {
  const until = endpoint?.paused_until ?? null;
  if (until !== null) return [html`The endpoint is paused until ${time(until)}.`];
  if (endpoint !== undefined && endpoint.disabled_at !== null)
    return [html`The endpoint is disabled: this delivery becomes a dead letter within seconds.`];
  const state = health?.breaker?.state;
  if (state === 'open')
    return [
      html`The endpoint’s circuit breaker is open: after failures nothing but a probe is sent, until one succeeds.`,
    ];
  if (state === 'half_open')
    return [html`The endpoint’s circuit breaker is half open: a probe is being sent to see whether it answers again.`];
  return [];
}

function becauseOf(last: Attempt | undefined, endpoint: Endpoint | undefined): Html {
  if (last === undefined) return html`It waits for its next attempt.`;
  const retryAfter = retryAfterOf(last);
  const planned = endpoint === undefined ? undefined : plannedWait(last.attempt, endpoint.retry);
  if (retryAfter !== undefined)
    return html`The receiver asked for time: <code>Retry-After</code> ${retryAfter}.${planned !== undefined && html` The endpoint’s own ${planned}.`}`;
  return planned === undefined
    ? html`It waits for its next attempt.`
    : html`After attempt ${last.attempt}, ${planned}.`;
}

/** The attempts of a delivery: when, what came of each, and where its time went. */
function attemptsTable(shown: ShownDelivery, t: string): Html {
  const { delivery, attempts } = shown;
  const longestMs = Math.max(0, ...attempts.map(totalMs));
  const before = new Map(attempts.map((attempt, index) => [attempt, attempts[index - 1]]));
  const columns: readonly Column<Attempt>[] = [
    { header: 'Attempt', cell: ({ attempt }) => html`<span class="attempt-word">Attempt</span> ${attempt}` },
    { header: 'At', cell: ({ at }) => time(at) },
    { header: 'Outcome', cell: ({ outcome, http_status: httpStatus }) => outcomeBadge({ outcome, httpStatus }) },
    ...phases.map(({ name, label }) => ({
      header: label,
      isNumber: true,
      cell: ({ timing }: Attempt) => milliseconds(timing?.[name]),
    })),
    {
      header: 'Total',
      isNumber: true,
      cell: (attempt) => html`${milliseconds(attempt.duration_ms)}${phaseBar(attempt.timing, longestMs)}`,
    },
    { header: 'Waited', cell: (attempt) => waitedBecause(attempt, before.get(attempt), shown) || '–' },
  ];
  return html`<div class="attempts">${table({
    caption: 'Attempts',
    columns,
    rows: attempts,
    href: ({ attempt }) => `${t}/deliveries/${delivery.id}/attempts/${attempt}`,
  })}</div>`;
}

export const totalMs = ({ duration_ms: duration, timing }: Attempt): number =>
  duration ?? phases.reduce((sum, { name }) => sum + (timing?.[name] ?? 0), 0);

type Asking = Pick<TenantContext, 't' | 'isCustomer'> & { nowMs: number };

/** A delivery: where it stands, why it waits, and all of its attempts. */
export function deliveryPage(shown: ShownDelivery, { t, isCustomer, nowMs }: Asking): Html {
  const { delivery, attempts, next, lastAttempt, isFirstPage } = shown;
  const waits = whyWaits({ ...shown, nowMs });
  const href = `${t}/deliveries/${delivery.id}`;
  return html`<div class="card">${facts(shown, { t, isCustomer })}
${waits.length > 0 && html`<div class="note${delivery.status === 'retrying' ? ' note-warn' : ''}"><strong>Why it waits</strong><ul>${waits.map((why) => html`<li>${why}</li>`)}</ul></div>`}</div>
<section class="part"><h2>Attempts</h2>
${
  attempts.length > 0
    ? html`${attemptsTable(shown, t)}${attempts.length > 1 && html`<p class="muted">Waits are explained by the endpoint’s present settings.</p>`}`
    : noAttempts(delivery, isFirstPage)
}
${pager({ href, next, prev: isFirstPage ? undefined : new URLSearchParams(), words: { prev: 'First attempts', next: 'Later attempts' } })}</section>
${lastAttempt !== undefined && !isCustomer && curlDetails(lastAttempt, delivery.event_id)}`;
}

function facts({ delivery, endpoint, deadLetterId }: ShownDelivery, { t, isCustomer }: Omit<Asking, 'nowMs'>): Html {
  const { status, attempts, next_attempt_at: next, generation, detail, last_http_status: httpStatus } = delivery;
  const told = detailText(detail, httpStatus);
  return definitions([
    ['Status', statusBadge(status)],
    ['Endpoint', endpointLink(delivery.endpoint_id, endpoint, t)],
    [
      'Event',
      html`<a href="${t}/events/${encodeURIComponent(delivery.event_id)}"><bdi>${delivery.event_type ?? 'erased'}</bdi> ${shortId(delivery.event_id)}</a>`,
    ],
    ['Attempts', count(attempts)],
    ['Last outcome', outcomeBadge({ outcome: delivery.last_outcome, httpStatus })],
    next !== null && ['Next attempt', time(next)],
    told !== undefined && ['Detail', told],
    status === 'dead_lettered' && !isCustomer && ['Dead letter', deadLetterLink(delivery, deadLetterId, t)],
    ['Created', time(delivery.created_at)],
    ['Last change', time(delivery.updated_at)],
    generation > 0 && ['Sent by', `replay ${generation} of this event`],
  ]);
}

function endpointLink(id: string, endpoint: ShownDelivery['endpoint'], t: string): Html {
  if (endpoint === undefined) return html`${shortId(id)} (deleted)`;
  return html`<a href="${t}/endpoints/${endpoint.id}"><bdi class="url">${endpoint.url}</bdi></a>${endpoint.description !== '' && html` <span class="muted">${endpoint.description}</span>`}`;
}

const deadLetterLink = ({ endpoint_id: endpointId }: Delivery, id: string | undefined, t: string): Html =>
  id === undefined
    ? html`<a href="${withQuery(`${t}/dead-letters`, { endpoint_id: endpointId })}">dead letters of its endpoint</a>`
    : html`<a href="${t}/dead-letters/${id}">${shortId(id)}</a>`;

function noAttempts({ attempts }: Delivery, isFirstPage: boolean): Html {
  if (!isFirstPage) return html`<div class="empty"><p>There are no more attempts.</p></div>`;
  return attempts === 0
    ? html`<div class="empty"><p>Nothing was sent yet.</p></div>`
    : html`<div class="empty"><p>${plural(attempts, 'attempt was', 'attempts were')} made. The requests and answers have been removed: they are kept as long as payloads.</p></div>`;
}
