import { html, type Html } from '#lib/html';
import type { TenantContext } from '../../page.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { count } from '../../parts/count.ts';
import { definitions } from '../../parts/definitions.ts';
import { detailText, outcomeBadge } from '../../parts/outcome.ts';
import { pager } from '../../parts/pager.ts';
import { shortId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import { plural } from '../../parts/words.ts';
import type { Attempt, Delivery } from '../../routes/deliveries/delivery.ts';
import type { ShownDelivery } from '../../routes/deliveries/read-delivery.ts';
import { attemptsTable } from './attempts-table.ts';
import { curlDetails } from './attempt-page.ts';
import { whyWaits } from './waits.ts';

type Asking = Pick<TenantContext, 't' | 'isCustomer'> & { nowMs: number };

/** A delivery: where it stands, why it waits, and all of its attempts. */
export function deliveryPage(shown: ShownDelivery, { t, isCustomer, nowMs }: Asking): Html {
  const { delivery, endpoint, health, attempts, next, lastAttempt, isFirstPage } = shown;
  const waits = whyWaits({ delivery, endpoint, health, lastAttempt, nowMs });
  const href = `${t}/deliveries/${delivery.id}`;
  return html`<div class="card">${facts(shown, { t, isCustomer })}
${waits.length > 0 && html`<div class="note${delivery.status === 'retrying' ? ' note-warn' : ''}"><strong>Why it waits</strong><ul>${waits.map((why) => html`<li>${why}</li>`)}</ul></div>`}</div>
<section class="part"><h2>Attempts</h2>
${
  attempts.length > 0
    ? html`${attemptsTable({ t, delivery, attempts, retry: endpoint?.retry })}${retryNote(attempts)}`
    : noAttempts(delivery, isFirstPage)
}
${pager({ href, next, prev: isFirstPage ? undefined : new URLSearchParams(), words: { prev: 'First attempts', next: 'Later attempts' } })}</section>
${lastAttempt !== undefined && !isCustomer && curlDetails(lastAttempt, delivery.event_id)}`;
}

function facts({ delivery, endpoint, deadLetterId }: ShownDelivery, { t, isCustomer }: Omit<Asking, 'nowMs'>): Html {
  const { status, attempts, next_attempt_at: next, generation, detail } = delivery;
  const httpStatus = delivery.last_http_status;
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

const retryNote = (attempts: readonly Attempt[]): Html | false =>
  attempts.length > 1 && html`<p class="muted">Waits are explained by the endpoint’s present settings.</p>`;

function noAttempts({ attempts }: Delivery, isFirstPage: boolean): Html {
  if (!isFirstPage) return html`<div class="empty"><p>There are no more attempts.</p></div>`;
  return attempts === 0
    ? html`<div class="empty"><p>Nothing was sent yet.</p></div>`
    : html`<div class="empty"><p>${plural(attempts, 'attempt was', 'attempts were')} made. The requests and answers have been removed: they are kept as long as payloads.</p></div>`;
}
