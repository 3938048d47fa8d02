import { eventStatuses } from '#lib/contract';
import type { Filtering, FilterTable } from '../http/filters.ts';
import { filterText } from '../settings/fields.ts';
import type { EventRow } from './event-row.ts';

/** The filters of `GET /v1/events`, for lists and for requests that are held. Conditions are on columns of `events`. */
export const eventFilters = {
  /** Given by the position (polling/position.ts): normalized, so that it compares as text. */
  updated_at_gte: {
    schema: { type: 'string' },
    description: 'RFC 3339: events changed at or after this time',
    condition: (instant) => `updated_at >= ${instant}::timestamptz`,
    matches: ({ updated_at }, instant) => updated_at >= instant,
  },
  status: {
    schema: { type: 'string', enum: eventStatuses },
    condition: (status) => `status = ${status}`,
    matches: (event, status) => event.status === status,
  },
  type: {
    schema: filterText,
    condition: (type) => `type = ${type}`,
    matches: (event, type) => event.type === type,
  },
  source_id: {
    schema: filterText,
    condition: (sourceId) => `source_id = ${sourceId}`,
    matches: (event, sourceId) => event.source_id === sourceId,
  },
  /** A duplicate's own receipt leads to the event, too. */
  receipt_id: {
    schema: filterText,
    description: 'receipt of a webhook: its event, for duplicates too',
    condition: (receiptId) =>
      `id IN (SELECT r.event_id FROM receipts r WHERE r.tenant = $1 AND r.receipt_id = ${receiptId})`,
  },
} satisfies FilterTable<EventRow>;

export type EventFilter = Filtering<typeof eventFilters>;
export type EventFilterName = keyof typeof eventFilters;
