import { header } from '#lib/contract';
import { createRecordingTracer } from '../telemetry/recording-tracer.ts';
import { closeApps, createHarness, signed } from './harness.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparentOf = (flags: string): string => `00-${traceId}-b7ad6b7169203331-${flags}`;
const body = '{"id":"the payload"}';

afterEach(closeApps);

async function receive(headers: Record<string, string | string[]>, path = '') {
  const { tracer, spans } = createRecordingTracer();
  const harness = createHarness({ deps: { tracer } });
  const answer = await harness.send({ headers, body, path: `/v1/webhooks/${harness.source.id}${path}` });
  const record = harness.producer.records[0];
  return { answer, spans, source: harness.source, carried: record && String(record.headers[header.traceparent]) };
}

test('a webhook’s record carries the span of its request, which is a part of the sender’s trace', async () => {
  const { spans, carried, source, answer } = await receive(
    { ...signed(body), traceparent: traceparentOf('01') },
    '?token=a-secret',
  );
  const [span] = spans();
  expect(span).toMatchObject({
    name: 'POST /v1/webhooks/:source_id',
    parentSpanContext: { traceId, spanId: 'b7ad6b7169203331' },
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/webhooks/:source_id',
      'http.response.status_code': 202,
      'url.path': `/v1/webhooks/${source.id}`,
      'hookline.source.id': source.id,
      'hookline.receipt.id': answer.json().id,
      'hookline.outcome': 'accepted',
    },
  });
  expect(carried).toBe(`00-${traceId}-${span?.spanContext().spanId}-01`);
  expect(JSON.stringify(span?.attributes)).not.toMatch(/secret|the payload|v1=/);
});

test('a webhook whose sender does not sample goes on with the sender’s own context', async () => {
  const { spans, carried } = await receive({ ...signed(body), traceparent: traceparentOf('00') });
  expect(spans().length).toBe(0);
  expect(carried).toBe(traceparentOf('00'));
});

test('one without a trace begins one; so does one that names two', async () => {
  for (const traceparent of [[], [traceparentOf('01'), traceparentOf('01')]]) {
    const { spans, carried } = await receive({ ...signed(body), ...(traceparent.length > 0 && { traceparent }) });
    expect(spans()[0]?.parentSpanContext).toBeUndefined();
    expect(carried).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(carried).not.toContain(traceId);
  }
});

test('a refusal is told with its code, and is no error of ours', async () => {
  const { spans, answer } = await receive({ traceparent: traceparentOf('01') });
  expect(spans()[0]?.attributes).toMatchObject({
    'hookline.outcome': answer.json().code,
    'http.response.status_code': answer.status,
  });
  expect(spans()[0]?.status.code).toBe(0);
});
