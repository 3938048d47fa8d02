import type { Endpoint, EndpointHealth, Stats } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import { steps } from '../api-calls/stats.ts';
import { noNames } from '../api-calls/tenant-names.ts';
import { deliveryColumns } from '../deliveries/index.ts';
import type { TenantContext } from '../page.ts';
import { barChart, percent } from '../ui/chart.ts';
import { missedHref } from '../ui/form.ts';
import { count, definitions, joined, plural, shortId } from '../ui/text.ts';
import { table } from '../ui/lists.ts';
import { jsonText } from '../ui/payload.ts';
import { detailText, outcomeBadge, statusBadge } from '../ui/status.ts';
import { duration, milliseconds, time } from '../ui/times.ts';
import { rowsOf } from './form.ts';
import type { ShownEndpoint } from './read.ts';

/** The answers to an operator's first questions: does it take events, what waits, and until when. */
function healthView(endpoint: Endpoint, health: EndpointHealth, t: string): Html {
  const { waiting, latency } = health;
  return definitions([
    ['Sending', sending(endpoint, health)],
    ['Fails since', failsSince(endpoint, health)],
    health.disables_at !== null && ['Will be disabled, if it keeps failing', time(health.disables_at)],
    ['Delivered, last hour', success(health.success.hour)],
    ['Delivered, last 24 h', success(health.success.day)],
    [
      'Latency',
      latency.attempts === 0
        ? 'no attempt in 24 h'
        : html`p50 ${milliseconds(latency.p50_ms)} · p95 ${milliseconds(latency.p95_ms)} <span class="muted">of ${plural(latency.attempts, 'attempt')}</span>`,
    ],
    ['Waiting', waitingView(endpoint, health, t)],
    waiting.oldest !== null && ['Oldest that waits', time(waiting.oldest)],
    waiting.oldest !== null && ['Drained', drains(endpoint, health)],
    ['Last 2xx', lastSend(health.last_success)],
    ['Last failure', lastSend(health.last_failure)],
  ]);
}

/** Failed attempts by what came back, the most frequent first: the reason is read here, not behind each of them. */
function failuresView(failures: EndpointHealth['failures'], t: string): Html | null {
  if (failures.length === 0) return null;
  return html`<section class="card"><h2>Why it fails</h2>${table({
    caption: 'Failed attempts of the last 24 hours, by answer',
    rows: failures,
    columns: [
      {
        header: 'Answer',
        cell: ({ outcome, http_status: httpStatus, detail }) => {
          const told = detailText(detail, httpStatus);
          return html`${outcomeBadge({ outcome, httpStatus })}${told !== undefined && html`<br><span class="muted">${told}</span>`}`;
        },
      },
      { header: 'Attempts', isNumber: true, cell: ({ attempts }) => count(attempts) },
      { header: 'First', cell: ({ first_at: at }) => time(at) },
      { header: 'Last', cell: ({ last_at: at }) => time(at) },
      {
        header: 'What it said last',
        cell: ({ response_excerpt: excerpt }) =>
          excerpt === null || excerpt === '' ? html`<span class="muted">no body</span>` : html`<code>${excerpt}</code>`,
      },
      {
        header: 'For instance',
        cell: ({ delivery_id: id }) => html`<a href="${t}/deliveries/${encodeURIComponent(id)}">${shortId(id)}</a>`,
      },
    ],
  })}</section>`;
}

/** The API calls an endpoint failing when it has accepted nothing for most of a minute. */
function failsSince(
  { failing_since: since }: Endpoint,
  { last_success: success, last_failure: failure }: EndpointHealth,
) {
  if (since !== null) return time(since);
  const isLastOne = failure !== null && (success === null || Date.parse(success.at) < Date.parse(failure.at));
  return isLastOne ? 'its latest attempt failed; it counts as failing within a minute of that' : 'it does not fail';
}

/** By the circuit breaker, in words that can't stand against the state beside the endpoint's name. */
function sending(endpoint: Endpoint, { breaker: found }: EndpointHealth): Html {
  if (endpoint.disabled_at !== null) return html`nothing: it is disabled`;
  if (endpoint.paused_until !== null) return html`nothing until ${time(endpoint.paused_until)}: it is paused`;
  if (found === null) return html`unknown: no report of a dispatcher within three minutes`;
  return html`${breakerBadge(endpoint, found.state)}${found.since !== null && html` since ${time(found.since)}`}`;
}

function breakerBadge({ failing_since: failingSince }: Endpoint, state: 'closed' | 'half_open' | 'open'): Html {
  if (state === 'closed' && failingSince !== null)
    return statusBadge(state, 'everything is sent, and retried when it fails', 'warn');
  return statusBadge(state, breakerWords[state]);
}

const breakerWords = {
  open: 'held back: only probes and tests are sent (its circuit breaker is open)',
  half_open: 'one at a time, after a probe that went well (its circuit breaker is half open)',
  closed: 'everything is sent',
};

/** `98.5 %` is of attempts: a delivery that is retried counts more than once. */
function success(counted: EndpointHealth['success']['hour']): Html {
  if (counted === null) return html`<span class="muted">not counted for so long yet</span>`;
  if (counted.ratio === null) return html`<span class="muted">nothing sent</span>`;
  return html`${percent(counted.delivered, counted.attempts)} <span class="muted">· ${count(counted.delivered)} of ${plural(counted.attempts, 'attempt')}</span>`;
}

function waitingView(
  { id, paused_until: pausedUntil }: Endpoint,
  { waiting: { retrying, parked, is_capped: isCapped }, breaker: found }: EndpointHealth,
  t: string,
): Html {
  if (retrying + parked === 0) return html`nothing`;
  const isOpen = found !== null && found.state !== 'closed';
  const states = [
    { n: retrying, status: 'retrying', words: 'for a retry' },
    {
      n: parked,
      status: 'parked',
      words: pausedUntil !== null ? 'for the end of the pause' : isOpen ? 'until it answers' : 'for room',
    },
  ].filter(({ n }) => n > 0);
  return joined(
    states.map(
      ({ n, status, words }) =>
        html`<a href="${withQuery(`${t}/deliveries`, { endpoint_id: id, status })}">${count(n, isCapped)} ${words}</a>`,
    ),
  );
}

/** When, or why that can't be told. */
function drains(endpoint: Endpoint, { breaker: found, waiting }: EndpointHealth): Html {
  if (waiting.drains_at !== null) return html`about ${time(waiting.drains_at)}, at the present rate`;
  if (endpoint.disabled_at !== null) return html`never: it is disabled`;
  if (endpoint.paused_until !== null) return html`after the pause, which ends ${time(endpoint.paused_until)}`;
  if (found?.state === 'open') return html`once it answers again`;
  if (waiting.is_capped) return html`unknown: there are too many`;
  return html`unknown: nothing was sent in the last minutes`;
}

function lastSend(send: EndpointHealth['last_success']): Html {
  if (send === null) return html`none`;
  const { at, outcome, http_status: httpStatus, detail } = send;
  // An older one is known by its minute alone.
  if (outcome === null) return html`${time(at)}`;
  const told = detailText(detail, httpStatus);
  return html`${outcomeBadge({ outcome, httpStatus })} ${time(at)}${told !== undefined && html`<br><span class="muted">${told}</span>`}`;
}

/** The events that it gets. @param sources undefined: they are not told of */
function subscription(endpoint: Endpoint, sources: ReadonlyMap<string, string> | undefined, t: string): Html {
  const { event_types: types, source_ids: ids, filter, filter_unjudged: unjudged } = endpoint;
  return html`${definitions([
    ['Event types', types.length === 0 ? 'all' : joined(types.map((type) => html`<code>${type}</code>`))],
    sources !== undefined && [
      'Sources',
      ids.length === 0 ? 'all' : joined(ids.map((id) => sourceLink(id, sources, t))),
    ],
    ['Filter', (filter === null || filter === undefined) && 'none: all payloads'],
  ])}${filter !== null && filter !== undefined && jsonText(JSON.stringify(filter, null, 2))}
${unjudged !== null && html`<p class="note note-warn">The filter could not be evaluated for an event of ${time(unjudged.at)}, which was delivered all the same: ${unjudgedWords[unjudged.reason] ?? unjudged.reason}.</p>`}`;
}

const unjudgedWords: Readonly<Record<string, string>> = {
  payload: 'its payload has too many values or levels',
  filter_steps: 'this filter takes too many steps for its payload',
  event_steps: 'all filters together take too many steps for its payload',
};

function sourceLink(id: string, sources: ReadonlyMap<string, string>, t: string): Html {
  if (id === 'api') return html`API`;
  const name = sources.get(id);
  return name === undefined
    ? html`<a href="${t}/sources/${encodeURIComponent(id)}">${shortId(id)}</a>`
    : html`<a href="${t}/sources/${id}"><bdi>${name}</bdi></a>`;
}

/** How it is sent. Private values are masked, as the API masks them. */
function sendingSettings(endpoint: Endpoint): Html {
  const { rate_limit: rate, headers, pass_headers: passed, proxy, client_certificate: certificate } = endpoint;
  const names = Object.entries(headers);
  return definitions([
    ...rowsOf(endpoint),
    ['Rate', rate === undefined ? 'no limit' : `${rate.per_second} per second, burst ${count(rate.burst)}`],
    ['Retries', retryWords(endpoint.retry)],
    [
      'Headers',
      names.length === 0 ? 'none' : html`${names.map(([name, value]) => html`<code>${name}: ${value}</code><br>`)}`,
    ],
    passed.length > 0 && ['Passed on from the provider', joined(passed.map((name) => html`<code>${name}</code>`))],
    proxy !== undefined && ['Proxy', html`<code>${proxy}</code>`],
    certificate !== undefined && [
      'Client certificate',
      html`until ${time(certificate.expires_at)} <code>${certificate.fingerprint}</code>`,
    ],
  ]);
}

function retryWords(retry: Endpoint['retry']): string {
  if (retry.schedule !== undefined) {
    const waits = retry.schedule.map((wait) => (wait === 0 ? 'at once' : duration(wait))).join(', ');
    return `after ${waits}${retry.jitter ? `, ± ${Math.round(retry.jitter * 100)} %` : ''}`;
  }
  const { base_seconds: base, cap_seconds: cap, window_seconds: window, max_attempts: most } = retry;
  return [
    base !== undefined && `backoff from ${duration(base)}`,
    cap !== undefined && `to ${duration(cap)}`,
    most !== undefined && plural(most, 'attempt'),
    window !== undefined && `for ${duration(window)}`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}

/** The secrets themselves are never shown again. */
const signing = ({ ed25519, public_keys: keys }: Endpoint): Html =>
  definitions([
    ['Secret', 'shown once, when it was made; during the overlap after a rotation both sign'],
    ['Ed25519 (v1a)', ed25519 ? html`${keys.map((key) => html`<code>${key}</code><br>`)}newest first` : 'not added'],
  ]);

type Asking = Pick<TenantContext, 't' | 'can' | 'isCustomer'>;

/** All about one endpoint: how it does, what it gets, how it is sent, and what was sent last. Customers see no settings of the operator. */
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
