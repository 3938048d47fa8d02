import { type DeliveryCount, deliveryCounts, type EventStatus } from '#lib/contract';
import type { eventColumns, RowOf } from '#lib/event-store';
import { eventFields } from '../openapi/resources/events.ts';

type Shown = keyof typeof eventFields | DeliveryCount;

/** An event, as far as clients see it. */
export type EventRow = Omit<Pick<RowOf<typeof eventColumns>, Shown>, 'status'> & { status: EventStatus };

const fields = Object.keys(eventFields) as (keyof typeof eventFields)[];

export const shownColumns = [...fields, ...deliveryCounts].join(', ');

/** The event as clients see it. */
export const eventJson = (row: EventRow): Record<string, unknown> => ({
  ...Object.fromEntries(fields.map((name) => [name, row[name]])),
  deliveries: Object.fromEntries(deliveryCounts.map((count) => [count, row[count]])),
});
