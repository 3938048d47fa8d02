import type { RowJob } from './job.ts';
import type { WaitingRow } from './waiting-row.ts';
import type { EventContent } from './event-content.ts';

/** The columns of a row that describe its delivery. */
type Row = Omit<WaitingRow, 'partition' | 'notBefore'>;

/** The row's delivery as a job, at its next step. @param readyAt set if later than the row's due time */
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

/** Replaces a missing event of a delivery that is ended without a send. */
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
