import { createPendingRecord, type PendingRecord } from '../../../libs/kafka/producing/pending-record.ts';
import { startSendSpan } from '../../../libs/kafka/producing/trace-send.ts';
import { anOwner } from './fixtures.ts';
import { createRecordingTracer } from '../telemetry/recording-tracer.ts';

const traceIds = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
const record = (traceparent: string | undefined): PendingRecord =>
  createPendingRecord(
    { topic: 't', key: null, value: Buffer.from('v'), headers: traceparent === undefined ? {} : { traceparent } },
    { expiresAtMs: 1, dueAtMs: 0 },
    anOwner,
  ).pending;

test('a flush is one span, of the first record’s trace, linked to those of the others', () => {
  const { tracer, spans } = createRecordingTracer();
  const [first, second, third] = traceIds.map((traceId) => `00-${traceId}-b7ad6b7169203331-01`);
  const unsampled = `00-${'d'.repeat(32)}-b7ad6b7169203331-00`;
  const batch = [undefined, unsampled, first, second, second, third].map(record);
  startSendSpan(tracer, 't', 4, batch).end();
  expect(spans().length).toBe(1);
  expect(spans()[0]).toMatchObject({
    name: 'send t',
    parentSpanContext: { traceId: traceIds[0] },
    attributes: { 'messaging.batch.message_count': 6, 'messaging.destination.partition.id': '4' },
  });
  expect(spans()[0]?.links.map(({ context }) => context.traceId)).toEqual(traceIds.slice(1));
});
