import { eventStatuses } from '#lib/contract';
import { dateTime, filterText } from './fields.ts';
import { parameter } from './operation.ts';
import * as t from './schema.ts';
import { tagFilter } from './tags.ts';

/** All values of a parameter that is repeated. */
const severalValues = { minItems: 1, maxItems: 10 };

/** The filters of `GET /v1/events`. */
export const eventFilterQuery = {
  updated_at_gte: parameter(dateTime, 'RFC 3339: events changed at or after this time'),
  status: parameter(t.textIn(eventStatuses)),
  type: parameter(filterText),
  source_id: parameter(filterText),
  receipt_id: parameter(filterText, 'receipt of a webhook: its event, for duplicates too'),
  tag: parameter(t.oneOrMore(tagFilter, severalValues), 'events with this tag, as `name:value`; repeatable'),
  event_id: parameter(filterText, 'identifier given by the sender or publisher'),
  endpoint_id: parameter(filterText, 'events with a delivery to this endpoint'),
  ordering_key: parameter(filterText),
  trace_id: parameter(
    t.textOf({ maxLength: 32, pattern: '^[0-9a-f]{32}$', description: '32 hexadecimal digits in lower case' }),
    'trace that the event belongs to',
  ),
  received_since: parameter(dateTime, 'RFC 3339: events received at or after this time'),
  received_until: parameter(dateTime, 'RFC 3339: events received before this time'),
  has: parameter(
    t.oneOrMore(t.textIn(['duplicates', 'changed', 'dead_letters']), severalValues),
    'events with duplicates, with duplicates of a different body (`changed`), with deliveries that are dead-lettered; repeatable',
  ),
};
