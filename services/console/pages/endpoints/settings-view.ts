import { html, type Html } from '#lib/html';
import { count } from '../../parts/count.ts';
import { definitions } from '../../parts/definitions.ts';
import { duration } from '../../parts/duration.ts';
import { jsonText } from '../../parts/json-text.ts';
import { milliseconds } from '../../parts/milliseconds.ts';
import { shortId } from '../../parts/short-id.ts';
import { time } from '../../parts/time.ts';
import { plural } from '../../parts/words.ts';
import type { Endpoint, Retry } from '../../routes/endpoints/endpoint.ts';

/** The events that it gets. @param sources undefined: they are not told of */
export function subscription(endpoint: Endpoint, sources: ReadonlyMap<string, string> | undefined, t: string): Html {
  const { event_types: types, source_ids: ids, filter, filter_unjudged: unjudged } = endpoint;
  return html`${definitions([
    ['Event types', types.length === 0 ? 'all' : list(types.map((type) => html`<code>${type}</code>`))],
    sources !== undefined && ['Sources', ids.length === 0 ? 'all' : list(ids.map((id) => sourceLink(id, sources, t)))],
    ['Filter', (filter === null || filter === undefined) && 'none: all payloads'],
  ])}${filter !== null && filter !== undefined && jsonText(JSON.stringify(filter, null, 2))}
${unjudged !== null && html`<p class="note note-warn">The filter could not be evaluated for an event of ${time(unjudged.at)}, which was delivered all the same: ${unjudgedWords[unjudged.reason] ?? unjudged.reason}.</p>`}`;
}

const unjudgedWords: Readonly<Record<string, string>> = {
  payload: 'its payload has too many values or levels',
  filter_steps: 'this filter takes too many steps for its payload',
  event_steps: 'all filters together take too many steps for its payload',
};

const list = (items: readonly Html[]): Html => html`${items.map((item, index) => html`${index > 0 && ', '}${item}`)}`;

function sourceLink(id: string, sources: ReadonlyMap<string, string>, t: string): Html {
  if (id === 'api') return html`API`;
  const name = sources.get(id);
  return name === undefined
    ? html`<a href="${t}/sources/${encodeURIComponent(id)}">${shortId(id)}</a>`
    : html`<a href="${t}/sources/${id}"><bdi>${name}</bdi></a>`;
}

/** How it is sent. Private values are masked, as the API masks them. */
export function sendingSettings(endpoint: Endpoint): Html {
  const { rate_limit: rate, headers, pass_headers: passed, proxy, client_certificate: certificate } = endpoint;
  const names = Object.entries(headers);
  return definitions([
    ['Method', endpoint.method],
    ['Time-out', milliseconds(endpoint.timeout_ms)],
    ['Most requests at once', count(endpoint.max_in_flight)],
    ['Rate', rate === undefined ? 'no limit' : `${rate.per_second} per second, burst ${count(rate.burst)}`],
    ['Order', endpoint.ordered ? 'one after another, by ordering key' : 'any'],
    ['Retries', retryWords(endpoint.retry)],
    [
      'Headers',
      names.length === 0 ? 'none' : html`${names.map(([name, value]) => html`<code>${name}: ${value}</code><br>`)}`,
    ],
    passed.length > 0 && ['Passed on from the provider', list(passed.map((name) => html`<code>${name}</code>`))],
    proxy !== undefined && ['Proxy', html`<code>${proxy}</code>`],
    certificate !== undefined && [
      'Client certificate',
      html`until ${time(certificate.expires_at)} <code>${certificate.fingerprint}</code>`,
    ],
  ]);
}

function retryWords(retry: Retry): string {
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
export const signing = ({ ed25519, public_keys: keys }: Endpoint): Html =>
  definitions([
    ['Secret', 'shown once, when it was made; during the overlap after a rotation both sign'],
    ['Ed25519 (v1a)', ed25519 ? html`${keys.map((key) => html`<code>${key}</code><br>`)}newest first` : 'not added'],
  ]);
