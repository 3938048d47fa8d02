/** An event as in lists. */
export interface Event extends Record<string, unknown> {
  id: string;
  type: string;
  status: string;
  updated_at: string;
  deliveries: Readonly<Record<string, number>>;
}

/** The columns of a table of events. */
export const listedColumns = ['received_at', 'id', 'type', 'status', 'event_id', 'deliveries'];

export const eventRow = (event: Event) => ({ ...event, deliveries: countDeliveries(event.deliveries) });

/** `2 delivered, 1 retrying` */
export const countDeliveries = (counts: Event['deliveries']): string =>
  Object.entries(counts)
    .flatMap(([status, count]) => (count === 0 ? [] : [`${count} ${status}`]))
    .join(', ');
