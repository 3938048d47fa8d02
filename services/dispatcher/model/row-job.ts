import { passedHeaders } from '#lib/contract';
import type { Endpoint } from './endpoint.ts';
import type { EventContent } from './event-content.ts';
import type { RowJob } from './job.ts';
import type { WaitingRow } from './waiting-row.ts';

/** The columns of a row that describe its delivery. */
type Row = Omit<WaitingRow, 'partition' | 'notBefore'>;

interface Circumstances {
  /** Undefined if it is unknown; then nothing is sent. */
  endpoint: Pick<Endpoint, 'passHeaders'> | undefined;
  signal: AbortSignal;
  /** Set if later than the row's due time. */
  readyAt?: number;
}

/** The row's delivery as a job, at its next step. */
export function rowJob(
  row: Row,
  content: EventContent,
  { endpoint, signal, readyAt = row.dueAt }: Circumstances,
): RowJob {
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
      passedHeaders: passedHeaders(endpoint?.passHeaders, content.request),
      trail: content.trail,
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
  trail: [],
  request: null,
});
