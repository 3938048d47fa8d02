import { component } from './operation.ts';
import * as t from './schema.ts';

/** An arrival of an event. */
export const receipt = component(
  'Receipt',
  t.object({
    id: t.saying('receipt id, as in the 202', t.text),
    received_at: t.time,
    client_address: t.saying('null if it is unknown', t.nullable(t.text)),
    kind: t.oneOf(['first', 'duplicate']),
    same_bytes: t.saying('whether the body is that of the event', t.flag),
  }),
);

export type Receipt = t.Static<typeof receipt.schema>;

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

const clause = t.object({
  pointer: t.saying('JSON pointer into the filter', t.text),
  path: t.saying('path into the payload; null for `$or` and `$nor`', t.nullable(t.text)),
  operator: t.text,
  expected: t.saying('operand of the operator, as in the filter', t.unknownValue),
});

/** An endpoint, and why it got an event or did not. */
export const eventMatch = component(
  'EventMatch',
  t.object({
    endpoint_id: t.id('ep'),
    url: t.saying('null if the endpoint is deleted', t.nullable(t.text)),
    matched: t.saying('null if it is unknown: see `reason`', t.nullable(t.flag)),
    reason: t.saying(
      'the first reason why the endpoint did not get the event: `test_event`: sent to one endpoint as a test; `loop`: no endpoint gets it, because its webhook came back to a source that it had passed, or had passed eight others; `created_later`: created after the event, or so shortly before it that its creation did not count yet (`effective_at`); `disabled`, `deleted`: by the time of the event; `type`, `source`: not among `expected`; `payload_not_json`: a filter takes only JSON objects and arrays; `filter`: `clause` refused the payload. Or why it is unknown: `payload_removed`: the payload is not kept any more; `history_removed`: earlier settings are not kept any more. Null if it matched',
      t.oneOf([...matchReasons, null]),
    ),
    unjudged: t.saying(
      'why the endpoint got the event without its filter: `payload`: too large or too deep; `filter_steps`, `event_steps`: the filter, or all filters of the tenant together, are too expensive',
      t.oneOf(['payload', 'filter_steps', 'event_steps', null]),
    ),
    expected: t.saying('event types or sources that the endpoint subscribed to', t.nullable(t.list(t.text))),
    clause: t.saying('the first condition of the filter that refused the payload', t.nullable(clause)),
    delivery_id: t.saying('delivery of the event’s first fan-out', t.nullable(t.id('dlv'))),
    created_at: t.time,
    disabled_at: t.nullable(t.time),
    deleted_at: t.nullable(t.time),
  }),
);

export type EventMatch = t.Static<typeof eventMatch.schema>;
