import { header } from '#lib/contract';
import { attribute, noTracer, type Span, type Tracer } from '#lib/telemetry';
import type { IncomingRecord, RecordHandler } from '../port.ts';

interface Options {
  tracer: Tracer;
  groupId: string;
}

/**
 * A span around the work on each record, from the call of the handler until the record is done: for a handler that does the work, not for one
 * that only puts it in a queue. It is a child of what the record's header names; the handler finds its own context in that header, and so
 * hands on the right one. An undone record has no span: it comes again.
 */
export function traceRecords({ tracer, groupId }: Options, handle: RecordHandler): RecordHandler {
  if (tracer === noTracer) return handle;
  const traced = (record: IncomingRecord): IncomingRecord => {
    const work = { kind: 'consumer', name: `process ${record.topic}` } as const;
    const span = tracer.start(work, record.headers[header.traceparent]);
    if (!span.isRecorded) return record;
    span.set({
      [attribute.messagingSystem]: 'kafka',
      [attribute.messagingOperationName]: 'process',
      [attribute.messagingOperationType]: 'process',
      [attribute.messagingDestination]: record.topic,
      [attribute.messagingPartition]: String(record.partition),
      [attribute.messagingOffset]: Number(record.offset),
      [attribute.messagingGroup]: groupId,
      [attribute.messagingBodySize]: record.value.length,
    });
    return withSpan(record, span);
  };
  return (records, signal) => handle(records.map(traced), signal);
}

function withSpan(record: IncomingRecord, span: Span): IncomingRecord {
  const { topic, partition, offset, key, value, rawHeaders, signal } = record;
  const headers = { ...record.headers, [header.traceparent]: span.traceparent };
  const done = (): void => {
    record.done();
    span.end();
  };
  return { topic, partition, offset, key, value, rawHeaders, headers, signal, span, done };
}
