import { type Filtering, type FilterRow, type FilterTable, readInstant } from '../http/filters.ts';
import type { EventRow } from './row.ts';

/** Things that an event may have, with the columns that count them. */
const counted = {
  duplicates: 'duplicates',
  changed: 'duplicates_changed',
  dead_letters: 'dead_lettered',
} as const satisfies Record<string, keyof EventRow>;

/** The column that counts them. */
export const countedAs = (value: string): keyof EventRow => counted[value as keyof typeof counted];

const equal = (column: 'status' | 'type' | 'source_id' | 'event_id'): FilterRow<EventRow> => ({
  condition: (value) => `${column} = ${value}`,
  matches: (event, value) => event[column] === value,
});

/** A search goes by these, too. Conditions are on columns of `events`. */
export const searchFilters = {
  status: equal('status'),
  type: equal('type'),
  source_id: equal('source_id'),
  /** A duplicate's own receipt leads to the event, too. */
  receipt_id: {
    condition: (receiptId) =>
      `id IN (SELECT r.event_id FROM receipts r WHERE r.tenant = $1 AND r.receipt_id = ${receiptId})`,
  },
  tag: {
    repeats: true,
    condition: (tag) => `id IN (SELECT t.event_id FROM event_tags t WHERE t.tenant = $1 AND t.tag = ${tag})`,
    matches: ({ tags }, tag) => Object.entries(tags ?? {}).some(([name, value]) => `${name}:${value}` === tag),
  },
  event_id: equal('event_id'),
  endpoint_id: {
    condition: (endpointId) =>
      `EXISTS (SELECT FROM deliveries d
                WHERE d.tenant = events.tenant AND d.event_id = events.id AND d.endpoint_id = ${endpointId})`,
  },
  ordering_key: { condition: (orderingKey) => `ordering_key = ${orderingKey}` },
  trace_id: { condition: (traceId) => `substr(traceparent, 4, 32) = ${traceId}` },
  received_since: {
    read: readInstant,
    condition: (instant) => `received_at >= ${instant}::timestamptz`,
    matches: ({ received_at }, instant) => received_at >= instant,
  },
  received_until: {
    read: readInstant,
    condition: (instant) => `received_at < ${instant}::timestamptz`,
    matches: ({ received_at }, instant) => received_at < instant,
  },
  has: {
    repeats: true,
    condition: (what) =>
      `CASE ${what} ${Object.entries(counted)
        .map(([name, column]) => `WHEN '${name}' THEN ${column} > 0`)
        .join(' ')} END`,
    matches: (event, what) => Number(event[countedAs(what)]) > 0,
  },
} satisfies FilterTable<EventRow>;

/** The filters of `GET /v1/events`, for lists and for requests that are held. */
export const eventFilters = {
  /** Given by the position (polling/position.ts): normalized, so that it compares as text. */
  updated_at_gte: {
    condition: (instant) => `updated_at >= ${instant}::timestamptz`,
    matches: ({ updated_at }, instant) => updated_at >= instant,
  },
  ...searchFilters,
} satisfies FilterTable<EventRow>;

export type EventFilter = Filtering<typeof eventFilters>;
export type EventFilterName = keyof typeof eventFilters;
