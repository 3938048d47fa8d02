import { component } from './operation.ts';
import { flag, id, list, nullable, object, oneOf, saying, type Static, text, time, unknownValue } from './schema.ts';

/** An arrival of an event. */
export const receipt = component(
  'Receipt',
  object({
    id: saying('receipt id, as in the 202', text),
    received_at: time,
    client_address: saying('null if it is unknown', nullable(text)),
    kind: oneOf(['first', 'duplicate']),
    same_bytes: saying('whether the body is that of the event', flag),
  }),
);

export type Receipt = Static<typeof receipt.schema>;

/** The first reason why an endpoint did not get an event, in the order in which they are checked; or why that is unknown. */
const matchReasons = [
  'test_event',
  'loop',
  'created_later',
  'disabled',
  'deleted',
  'type',
  'source',
  'payload_not_json',
  'filter',
  'payload_removed',
  'history_removed',
] as const;

const clause = object({
  pointer: saying('JSON pointer into the filter', text),
  path: saying('path into the payload; null for `$or` and `$nor`', nullable(text)),
  operator: text,
  expected: saying('operand of the operator, as in the filter', unknownValue),
});

/** An endpoint, and why it got an event or did not. */
export const eventMatch = component(
  'EventMatch',
  object({
    endpoint_id: id('ep'),
    url: saying('null if the endpoint is deleted', nullable(text)),
    matched: saying('null if it is unknown: see `reason`', nullable(flag)),
    reason: saying(
      'the first reason why the endpoint did not get the event: `test_event`: sent to one endpoint as a test; `loop`: no endpoint gets it, because its webhook came back to a source that it had passed, or had passed eight others; `created_later`: created after the event, or so shortly before it that its creation did not count yet (`effective_at`); `disabled`, `deleted`: by the time of the event; `type`, `source`: not among `expected`; `payload_not_json`: a filter takes only JSON objects and arrays; `filter`: `clause` refused the payload. Or why it is unknown: `payload_removed`: the payload is not kept any more; `history_removed`: earlier settings are not kept any more. Null if it matched',
      oneOf([...matchReasons, null]),
    ),
    unjudged: saying(
      'why the endpoint got the event without its filter: `payload`: too large or too deep; `filter_steps`, `event_steps`: the filter, or all filters of the tenant together, are too expensive',
      oneOf(['payload', 'filter_steps', 'event_steps', null]),
    ),
    expected: saying('event types or sources that the endpoint subscribed to', nullable(list(text))),
    clause: saying('the first condition of the filter that refused the payload', nullable(clause)),
    delivery_id: saying('delivery of the event’s first fan-out', nullable(id('dlv'))),
    created_at: time,
    disabled_at: nullable(time),
    deleted_at: nullable(time),
  }),
);

export type EventMatch = Static<typeof eventMatch.schema>;
