import { type ErasedEvent, type Event, eventFields } from '#lib/api-contract';
import { type DeliveryCount, deliveryCounts, type EventStatus, type Tags } from '#lib/contract';
import type { eventColumns, RowOf } from '#lib/event-store';

type Shown = keyof typeof eventFields | DeliveryCount;

/** An event, as far as clients see it. */
export type EventRow = Omit<Pick<RowOf<typeof eventColumns>, Shown>, 'status'> & {
  status: EventStatus;
  /** Null for none. */
  tags: Tags | null;
};

export const shownColumns = [...Object.keys(eventFields), 'tags', ...deliveryCounts].join(', ');

export const isErased = ({ status }: Pick<EventRow, 'status'>): boolean => status === 'erased';

/** The event as clients see it: all that is left of one that was erased. */
export const eventOf = (row: EventRow): Event | ErasedEvent => (isErased(row) ? erasedEventOf(row) : wholeEventOf(row));

/** The same of an event that was not erased. */
export const wholeEventOf = (row: EventRow): Event => ({
  id: row.id,
  type: row.type,
  source_id: row.source_id,
  event_id: row.event_id,
  receipt_id: row.receipt_id,
  status: row.status,
  received_at: row.received_at,
  updated_at: row.updated_at,
  duplicates: row.duplicates,
  duplicates_changed: row.duplicates_changed,
  tags: row.tags ?? {},
  deliveries: Object.fromEntries(deliveryCounts.map((count) => [count, row[count]])) as Record<DeliveryCount, number>,
});

const erasedEventOf = ({ id, received_at, updated_at }: EventRow): ErasedEvent => ({
  id,
  status: 'erased',
  received_at,
  updated_at,
});
