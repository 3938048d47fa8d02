import type { Stats } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import type { TenantContext } from '../../page.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { noNames } from '../../routes/deliveries/delivery-filters.ts';
import { deliveryColumns } from '../../routes/deliveries/deliveries.ts';
import type { Endpoint } from '../../routes/endpoints/endpoint.ts';
import type { ShownEndpoint } from '../../routes/endpoints/read-endpoint.ts';
import { barChart } from '../../parts/chart.ts';
import { missedHref } from '../../parts/counts-from.ts';
import { steps } from '../../routes/overview/stats.ts';
import { table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import { failuresView, healthView } from './health-view.ts';
import { sendingSettings, signing, subscription } from './settings-view.ts';

/** All about one endpoint: how it does, what it gets, how it is sent, and what was sent last. */
type Asking = Pick<TenantContext, 't' | 'can' | 'isCustomer'>;

/** @param asking customers see no settings of the operator */
export function endpointPage(shown: ShownEndpoint, { t, can, isCustomer }: Asking): Html {
  const { endpoint, health, stats, sources } = shown;
  return html`${stateNote(shown)}
<section class="card"><h2>Health</h2>${
    health === undefined
      ? html`<p class="note note-warn">Its health is unknown at the moment. Reload the page.</p>`
      : healthView(endpoint, health, t)
  }</section>
${failuresView(health?.failures ?? [], t)}
${stats !== undefined && html`<section class="card"><h2>Attempts, last 24 h</h2>${attemptCharts(endpoint.id, stats)}</section>`}
<section class="part"><h2>Latest deliveries</h2>${latest(shown, { t, can, isCustomer })}</section>
<section class="card"><h2>What it gets</h2>${subscription(endpoint, isCustomer ? undefined : sources, t)}</section>
${!isCustomer && html`<section class="card"><h2>How it is sent</h2>${sendingSettings(endpoint)}</section>`}
<section class="card"><h2>Signing</h2>${signing(endpoint)}</section>`;
}

const reasons: Readonly<Record<string, string>> = {
  by_request: 'by request',
  failing: 'because every attempt failed for days',
  gone: 'because it answered 410 Gone',
};

/** Why nothing is sent to it, if nothing is. */
function stateNote({ endpoint }: ShownEndpoint): Html | null {
  const { disabled_at: disabledAt, disabled_reason: reason, paused_until: pausedUntil } = endpoint;
  if (disabledAt !== null)
    return html`<p class="note note-bad"><strong>Disabled</strong> since ${time(disabledAt)}${reason !== null && ` ${reasons[reason] ?? reason}`}. Nothing is sent: new deliveries become dead letters. Enable it, then recover its dead letters.</p>`;
  if (pausedUntil !== null)
    return html`<p class="note note-warn"><strong>Paused</strong> since ${time(endpoint.paused_at)}, until ${time(pausedUntil)}. Its deliveries wait, and are sent then.</p>`;
  return null;
}

const hourMs = 3_600_000;

function attemptCharts(id: string, stats: Stats): Html {
  const own = { ...stats, series: stats.series.filter(({ key }) => key === id) };
  return html`<div class="charts">${barChart({ title: 'Delivered', bars: steps(own, 'delivered', hourMs), step: 'hour' })}
${barChart({ title: 'Failed', bars: steps(own, 'failed', hourMs), step: 'hour', tone: 'bad' })}</div>`;
}

/** A test of one that is paused or disabled is refused. */
const takesEvents = ({ disabled_at: disabledAt, paused_at: pausedAt }: Endpoint): boolean =>
  disabledAt === null && pausedAt === null;

function latest({ endpoint, deliveries }: ShownEndpoint, { t, can, isCustomer }: Asking): Html {
  if (deliveries.length === 0)
    return html`<div class="empty"><p>Nothing was sent to it yet.</p>${can('write', 'endpoints') && takesEvents(endpoint) && html`<a class="button" href="${t}/endpoints/${endpoint.id}/test">Send a test</a>`}${can('write', 'replay') && takesEvents(endpoint) && html` <a class="button" href="${missedHref(t, endpoint)}">Send it what it missed</a>`}</div>`;
  return html`${table({
    caption: 'Latest deliveries',
    rows: deliveries,
    columns: deliveryColumns({ t, names: noNames }, true),
    href: ({ id }) => `${t}/deliveries/${id}`,
  })}<p><a href="${withQuery(`${t}/deliveries`, { endpoint_id: endpoint.id })}">All its deliveries</a>${!isCustomer && html` · <a href="${withQuery(`${t}/dead-letters`, { endpoint_id: endpoint.id, status: 'dead' })}">Its dead letters</a>`}</p>`;
}
