import { type DeliveryCount, deliveryCounts, type EventStatus, type Tags } from '#lib/contract';
import type { eventColumns, RowOf } from '#lib/event-store';
import { eventFields } from '../openapi/resources/events.ts';

type Shown = keyof typeof eventFields | DeliveryCount;

/** An event, as far as clients see it. */
export type EventRow = Omit<Pick<RowOf<typeof eventColumns>, Shown>, 'status'> & {
  status: EventStatus;
  /** Null for none. */
  tags: Tags | null;
};

const fields = Object.keys(eventFields) as (keyof typeof eventFields)[];

export const shownColumns = [...fields, 'tags', ...deliveryCounts].join(', ');

/** All that is left of an event that was erased. */
const erasedFields = ['id', 'status', 'received_at', 'updated_at'] as const satisfies typeof fields;

export const isErased = ({ status }: Pick<EventRow, 'status'>): boolean => status === 'erased';

/** The event as clients see it. */
export const eventJson = (row: EventRow): Record<string, unknown> =>
  isErased(row)
    ? Object.fromEntries(erasedFields.map((name) => [name, row[name]]))
    : {
        ...Object.fromEntries(fields.map((name) => [name, row[name]])),
        tags: row.tags ?? {},
        deliveries: Object.fromEntries(deliveryCounts.map((count) => [count, row[count]])),
      };
