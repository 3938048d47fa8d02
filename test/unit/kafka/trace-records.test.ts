import { header } from '#lib/contract';
import { type IncomingRecord, traceRecords } from '#lib/kafka';
import { noTracer } from '#lib/telemetry';
import { createRecordingTracer } from '../telemetry/recording-tracer.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const given = (flags: string): string => `00-${traceId}-b7ad6b7169203331-${flags}`;
const signal = new AbortController().signal;

function incoming(traceparent: string | undefined, offset = 0n) {
  let done = 0;
  const raw: IncomingRecord['rawHeaders'] =
    traceparent === undefined ? {} : { [header.traceparent]: Buffer.from(traceparent) };
  const record: IncomingRecord = {
    topic: 'events',
    partition: 2,
    offset,
    key: Buffer.from('key'),
    value: Buffer.from('value'),
    headers: { other: 'header', ...(traceparent === undefined ? {} : { [header.traceparent]: traceparent }) },
    rawHeaders: raw,
    signal,
    done: () => void (done += 1),
  };
  return { record, done: () => done };
}

/** What a handler is given of these records, and the spans that there are once it has done what it does. */
async function handled(records: readonly IncomingRecord[], handle: (records: readonly IncomingRecord[]) => void) {
  const { tracer, spans } = createRecordingTracer();
  const seen: IncomingRecord[] = [];
  const traced = traceRecords({ tracer, groupId: 'the group' }, async (batch) => {
    seen.push(...batch);
    handle(batch);
  });
  await traced(records, signal);
  return { seen, spans };
}

it('the handler finds the span in the header of what it works on, and hands it on', async () => {
  const { record, done } = incoming(given('01'), 7n);
  const { seen, spans } = await handled([record], ([first]) => first?.done());
  expect(done()).toBe(1);
  const [span] = spans();
  expect(span).toMatchObject({
    name: 'process events',
    attributes: {
      'messaging.system': 'kafka',
      'messaging.destination.partition.id': '2',
      'messaging.kafka.offset': 7,
      'messaging.consumer.group.name': 'the group',
    },
  });
  expect(span?.parentSpanContext).toMatchObject({ traceId, spanId: 'b7ad6b7169203331' });
  expect(seen[0]?.headers).toEqual({ other: 'header', traceparent: `00-${traceId}-${span?.spanContext().spanId}-01` });
  // A dead letter keeps what came.
  const { topic, partition, offset, key, value, rawHeaders } = record;
  expect(seen[0]).toMatchObject({ topic, partition, offset, key, value, rawHeaders });
});

it('a span lasts until its record is done, however late that is', async () => {
  const records = [incoming(given('01')), incoming(given('01'))];
  const { seen, spans } = await handled(
    records.map(({ record }) => record),
    () => undefined,
  );
  expect(spans().length).toBe(0);
  seen[1]?.done();
  expect(spans().length).toBe(1);
  expect(records.map(({ done }) => done())).toEqual([0, 1]);
});

it('what is not sampled is handed over as it is', async () => {
  const { record } = incoming(given('00'));
  const { seen, spans } = await handled([record], ([first]) => first?.done());
  expect(seen[0]).toBe(record);
  expect(spans().length).toBe(0);
});

it('without tracing the handler is called as if there were nothing between', () => {
  const handle = async (): Promise<void> => undefined;
  expect(traceRecords({ tracer: noTracer, groupId: 'the group' }, handle)).toBe(handle);
});
