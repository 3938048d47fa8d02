import { endpointMethods } from '#lib/contract';
import { type DocumentedResource, ref } from '../operation.ts';
import { count, extend, flag, id, list, map, nullable, number, object, oneOf, rateLimit, saying, text, time } from '#lib/api-contract';

const endpoint = object(
  {
    id: id('ep'),
    url: { type: 'string', format: 'uri' },
    description: text,
    event_types: saying('event types to deliver; empty: all except Hookline’s own (`hookline.*`)', list(text)),
    source_ids: saying('sources to deliver from; empty: all; `api`: published events', list(text)),
    filter: saying('filter on the payload; null: all', {}),
    method: oneOf(endpointMethods),
    headers: saying('sensitive values are shown as `***`', map(text)),
    pass_headers: saying(
      'headers of the provider that are passed on: names, or prefixes with an asterisk; headers that may hold secrets need their whole name',
      list(text),
    ),
    ed25519: flag,
    public_keys: saying('valid public keys, newest first', list(text)),
    timeout_ms: count,
    max_in_flight: count,
    ordered: saying('events with the same ordering key are sent one after another', flag),
    retry: object(
      {},
      {
        base_seconds: number,
        cap_seconds: number,
        window_seconds: number,
        max_attempts: count,
        schedule: list(number),
        jitter: number,
      },
    ),
    created_at: time,
    effective_at: saying(
      'from when on the last change counts, its creation included, two seconds after it: which events it gets is judged by the settings that count when they are received',
      time,
    ),
    disabled_at: nullable(time),
    disabled_reason: nullable({ type: 'string', examples: ['by_request', 'gone', 'failing'] }),
    failing_since: saying('since when all attempts have failed', nullable(time)),
    paused_at: saying('null while it is not paused, as `paused_until` is', nullable(time)),
    paused_until: nullable(time),
    expires_at: saying(
      'when a temporary endpoint is deleted, by `expires_in` of its creation or last change; null: never',
      nullable(time),
    ),
    url_by_portal: saying(
      'the URL was set in the portal: private networks and plain http are refused, even where the operator allows them',
      flag,
    ),
    filter_unjudged: saying(
      'the last event (accurate to a minute) that was delivered although the filter could not be evaluated, with the reason: the payload is unsuitable, or evaluating this filter, or all filters together, would take too long',
      nullable(object({ at: time, reason: { enum: ['payload', 'filter_steps', 'event_steps'] } })),
    ),
  },
  {
    proxy: saying('credentials are shown as `***`', text),
    client_certificate: object({ certificate: text, expires_at: time, fingerprint: text }),
    rate_limit: rateLimit,
  },
);

const success = saying(
  'null: not counted for that long yet',
  nullable(object({ attempts: count, delivered: count, ratio: nullable(number) })),
);
const lastSend = (description: string) =>
  saying(
    description,
    nullable(object({ at: time, outcome: nullable(text), http_status: nullable(count), detail: nullable(text) })),
  );

const health = object({
  breaker: saying(
    'the last report of the dispatcher; null if there was none within three minutes',
    nullable(object({ state: oneOf(['closed', 'half_open', 'open']), since: nullable(time) })),
  ),
  disabled_at: nullable(time),
  paused_until: nullable(time),
  failing_since: nullable(time),
  disables_at: saying('when it will be disabled if it keeps failing; null while it does not fail', nullable(time)),
  success: saying('attempts and deliveries of the last hour and 24 hours', object({ hour: success, day: success })),
  latency: saying(
    'of the attempts of the last 200 deliveries, within 24 hours',
    object({ attempts: count, p50_ms: nullable(number), p95_ms: nullable(number) }),
  ),
  waiting: object({
    retrying: count,
    parked: count,
    is_capped: saying('there are more: counting stopped here', flag),
    oldest: saying('creation of the oldest delivery that waits', nullable(time)),
    drains_at: saying(
      'at the rate of the last five minutes; null if that is 0, or nothing is sent now',
      nullable(time),
    ),
  }),
  last_success: lastSend(
    'the last 2xx; only to the minute, without the rest, if it is not among the last 200 deliveries',
  ),
  last_failure: lastSend('the last failed attempt, in the same way'),
  failures: saying(
    'failed attempts of the last 24 hours, of the last 200 deliveries, by what came back; the most frequent first, ten at most',
    list(
      object({
        outcome: text,
        http_status: nullable(count),
        attempts: count,
        first_at: time,
        last_at: time,
        detail: nullable(text),
        response_excerpt: saying(
          'how the body of the last one begins; null if there was none, or it is not text',
          nullable(text),
        ),
        delivery_id: saying('of the last one', id('dlv')),
      }),
    ),
  ),
});

const secret = saying('signs deliveries; shown only in this response', text);

export const documentedEndpoints: DocumentedResource = {
  tag: 'Endpoints',
  description:
    'Endpoints are URLs that receive events. A change counts from its `effective_at` on, two seconds later: a new endpoint gets the events accepted from then on.',
  schemas: {
    Endpoint: endpoint,
    EndpointWithSecret: extend(endpoint, { secret }),
    EndpointHealth: health,
    TestResult: object({ event_id: id('evt'), delivery_id: nullable(id('dlv')), attempt: nullable(ref('Attempt')) }),
  },
};
