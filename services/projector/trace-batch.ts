import { header } from '#lib/contract';
import type { IncomingRecord } from '#lib/kafka';
import { attribute, noTracer, type Span, type Tracer, untraced } from '#lib/telemetry';

/** Around the one transaction of many records: a part of the trace of the first that is traced, linked to those of the others. */
export function startBatchSpan(tracer: Tracer, groupId: string, batch: readonly IncomingRecord[]): Span {
  if (tracer === noTracer) return untraced();
  const topic = batch[0]?.topic ?? '';
  const work = { kind: 'consumer', name: `process ${topic}` } as const;
  const span = tracer.startBatch(work, batch, ({ headers }) => headers[header.traceparent]);
  if (span.isRecorded)
    span.set({
      [attribute.messagingSystem]: 'kafka',
      [attribute.messagingOperationName]: 'process',
      [attribute.messagingOperationType]: 'process',
      [attribute.messagingDestination]: topic,
      [attribute.messagingPartition]: String(batch[0]?.partition),
      [attribute.messagingGroup]: groupId,
      [attribute.messagingBatchCount]: batch.length,
    });
  return span;
}
