import { html, type Html } from '#lib/html';
import { withQuery } from '../../api-calls/paths.ts';
import { count } from '../../parts/count.ts';
import { definitions } from '../../parts/definitions.ts';
import { percent } from '../../parts/figure.ts';
import { milliseconds } from '../../parts/milliseconds.ts';
import { detailText, outcomeBadge } from '../../parts/outcome.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { shortId } from '../../parts/short-id.ts';
import { table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import { plural } from '../../parts/words.ts';
import type { AnswerGroup, Endpoint, EndpointHealth, LastSend, Success } from '../../routes/endpoints/endpoint.ts';

/** The answers to an operator's first questions: does it take events, what waits, and until when. */
export function healthView(endpoint: Endpoint, health: EndpointHealth, t: string): Html {
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
export function failuresView(failures: readonly AnswerGroup[], t: string): Html | null {
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
  switch (state) {
    case 'open':
      return statusBadge('open', 'held back: only probes and tests are sent (its circuit breaker is open)');
    case 'half_open':
      return statusBadge('half_open', 'one at a time, after a probe that went well (its circuit breaker is half open)');
    case 'closed':
      return failingSince === null
        ? statusBadge('closed', 'everything is sent')
        : statusBadge('closed', 'everything is sent, and retried when it fails', 'warn');
  }
}

/** `98.5 %` is of attempts: a delivery that is retried counts more than once. */
function success(counted: Success | null): Html {
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
  return html`${states.map(
    ({ n, status, words }, index) =>
      html`${index > 0 && ', '}<a href="${withQuery(`${t}/deliveries`, { endpoint_id: id, status })}">${count(n, isCapped)} ${words}</a>`,
  )}`;
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

function lastSend(send: LastSend | null): Html {
  if (send === null) return html`none`;
  const { at, outcome, http_status: httpStatus, detail } = send;
  // An older one is known by its minute alone.
  if (outcome === null) return html`${time(at)}`;
  const told = detailText(detail, httpStatus);
  return html`${outcomeBadge({ outcome, httpStatus })} ${time(at)}${told !== undefined && html`<br><span class="muted">${told}</span>`}`;
}
