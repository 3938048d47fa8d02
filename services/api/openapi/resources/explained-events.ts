import { matchReasons } from '../../matching/match-reasons.ts';
import { ref } from '../operation.ts';
import { count, flag, id, list, nullable, object, oneOf, saying, type Schema, text, time } from '#lib/api-contract';

const clause = object({
  pointer: saying('JSON pointer into the filter', text),
  path: saying('path into the payload; null for `$or` and `$nor`', nullable(text)),
  operator: text,
  expected: saying('operand of the operator, as in the filter', {}),
});

/** Schemas that explain an event: its arrivals, and its endpoints. */
export const explainedEvents: Readonly<Record<string, Schema>> = {
  Receipt: object({
    id: saying('receipt id, as in the 202', text),
    received_at: time,
    client_address: saying('null if it is unknown', nullable(text)),
    kind: oneOf(['first', 'duplicate']),
    same_bytes: saying('whether the body is that of the event', flag),
  }),
  EventSearch: object({
    matched: saying('newest first', list(ref('Event'))),
    scanned: saying('payloads that the filter was evaluated for', count),
    unjudged: saying(
      'events whose payload could not be searched: it has been removed, is too large or too deep, or takes the filter too many steps',
      object({ payload_removed: count, payload: count, filter_steps: count }),
    ),
    complete: saying('whether all older events have been looked at', flag),
    cursor: saying('cursor for the next older events; null if `complete`', nullable(id('evt'))),
  }),
  EventMatch: object({
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
};
