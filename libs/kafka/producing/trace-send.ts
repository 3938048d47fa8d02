import { header } from '#lib/contract';
import { attribute, noTracer, type Span, type Tracer, untraced } from '#lib/telemetry';
import type { PendingRecord } from './pending-record.ts';

/** A span around one request to the broker, of one owner's records: in the trace of its first traced record, linked to the others. */
export function startSendSpan(tracer: Tracer, topic: string, partition: number, batch: readonly PendingRecord[]): Span {
  if (tracer === noTracer) return untraced();
  const span = tracer.startBatch({ kind: 'producer', name: `send ${topic}` }, batch, traceparentOf);
  if (span.isRecorded)
    span.set({
      [attribute.messagingSystem]: 'kafka',
      [attribute.messagingOperationName]: 'send',
      [attribute.messagingOperationType]: 'send',
      [attribute.messagingDestination]: topic,
      [attribute.messagingPartition]: String(partition),
      [attribute.messagingBatchCount]: batch.length,
    });
  return span;
}

const traceparentOf = ({ headers }: PendingRecord): string | undefined =>
  headers.findLast(([name]) => name === header.traceparent)?.[1].toString();
