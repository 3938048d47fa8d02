import type { RowJob } from './job.ts';
import type { WaitingRow } from './waiting-row.ts';
import type { EventContent } from './event-content.ts';

/** What a row says of its delivery. */
type Row = Omit<WaitingRow, 'partition' | 'notBefore'>;

/** The delivery of a row as its next step. @param readyAt where it is later than when the row is due */
export function rowJob(row: Row, content: EventContent, signal: AbortSignal, readyAt = row.dueAt): RowJob {
  const { state, attempts } = row;
  return {
    from: 'row',
    delivery: {
      id: row.deliveryId,
      tenant: row.tenant,
      eventId: row.eventId,
      eventType: content.type,
      endpointId: row.endpointId,
      generation: row.generation,
      createdAt: row.createdAt,
      receivedAt: content.receivedAt,
      orderingKey: content.orderingKey,
      contentType: content.contentType,
      contentEncoding: content.contentEncoding,
      traceparent: content.traceparent,
      payload: content.payload,
    },
    order: row.order,
    step: row.step + 1,
    attempts,
    state,
    readyAt,
    signal,
  };
}

/** In place of an event that is not to be had, for what is ended without a send. */
export const withoutContent = ({ tenant, eventId, createdAt }: Row): EventContent => ({
  tenant,
  eventId,
  type: '',
  receivedAt: createdAt,
  orderingKey: null,
  traceparent: '',
  contentType: '',
  contentEncoding: null,
  payload: Buffer.alloc(0),
});
