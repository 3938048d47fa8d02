import { endpointMethods } from '#lib/contract';
import { rateLimit } from '../../settings/fields.ts';
import { type DocumentedResource, ref } from '../operation.ts';
import { count, extend, flag, id, list, map, nullable, number, object, oneOf, saying, text, time } from '../schema.ts';

const endpoint = object(
  {
    id: id('ep'),
    url: { type: 'string', format: 'uri' },
    description: text,
    event_types: saying('empty: all but Hookline’s own, `hookline.*`', list(text)),
    source_ids: saying('empty: all; `api` for what is published', list(text)),
    filter: saying('which payloads it gets; null: all', {}),
    method: oneOf(endpointMethods),
    headers: saying('values of sensitive ones are `***`', map(text)),
    ed25519: flag,
    public_keys: saying('in force, the newest first', list(text)),
    timeout_ms: count,
    max_in_flight: count,
    ordered: saying('events of one ordering key are sent one after the other', flag),
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
    disabled_at: nullable(time),
    disabled_reason: nullable({ type: 'string', examples: ['by_request', 'gone', 'failing'] }),
    failing_since: saying('since when nothing that was sent to it was taken', nullable(time)),
    filter_unjudged: saying(
      'when it last got an event that its filter had not judged (to the minute), and why: the payload can’t be judged, or it would take too much work, for this filter or for all together',
      nullable(object({ at: time, reason: { enum: ['payload', 'filter_steps', 'event_steps'] } })),
    ),
  },
  {
    proxy: saying('its credentials are `***`', text),
    client_certificate: object({ certificate: text, expires_at: time, fingerprint: text }),
    rate_limit: rateLimit,
  },
);

const secret = saying('with which deliveries are signed; shown in this answer alone', text);

export const documentedEndpoints: DocumentedResource = {
  tag: 'Endpoints',
  description:
    'Where events are sent to. A new one gets the events that are accepted five seconds or more after its creation.',
  schemas: {
    Endpoint: endpoint,
    EndpointWithSecret: extend(endpoint, { secret }),
    TestResult: object({ event_id: id('evt'), delivery_id: nullable(id('dlv')), attempt: nullable(ref('Attempt')) }),
  },
};
