import type { HttpRequest, HttpResult } from '#lib/http-client';
import { createManualClock } from '#lib/runtime';
import { createAttempt } from '../../../services/dispatcher/send/attempt.ts';
import { createRecordingTracer } from '../telemetry/recording-tracer.ts';
import { aDelivery, aFailure, anAnswer, anEndpoint } from './fixtures.ts';

const { traceparent } = aDelivery();
const [, traceId, parentId] = traceparent.split('-');

async function sendThrice(results: readonly HttpResult[], given: Parameters<typeof aDelivery>[0] = {}) {
  const { tracer, spans } = createRecordingTracer();
  const requests: HttpRequest[] = [];
  const attempt = createAttempt({
    openHeader: () => undefined,
    trails: { sign: () => undefined },
    tracer,
    clock: createManualClock(),
    http: {
      send: async (request) => {
        requests.push(request);
        return results[requests.length - 1] ?? anAnswer(200);
      },
    },
  });
  const endpoint = anEndpoint({ url: 'https://user:pass@receiver.test:8443/a-secret-path?token=a-secret-query' });
  const sendings = [];
  for (const number of [1, 2, 3]) sendings.push(await attempt(aDelivery(given), endpoint, number));
  return { spans: spans(), sendings, headers: requests.map((request) => request.headers['traceparent']) };
}

it('every attempt is a span of the delivery’s one trace, which the receiver is told', async () => {
  const { spans, headers, sendings } = await sendThrice([anAnswer(503), aFailure('timeout')]);
  expect(spans.map((span) => span.parentSpanContext)).toMatchObject(
    [1, 2, 3].map(() => ({ traceId, spanId: parentId })),
  );
  const ids = spans.map((span) => span.spanContext().spanId);
  expect(new Set(ids).size).toBe(3);
  expect(headers).toEqual(ids.map((id) => `00-${traceId}-${id}-01`));
  expect(sendings.map(({ exemplar }) => exemplar)).toEqual(ids.map((id) => ({ trace_id: traceId, span_id: id })));
});

it('a span says to which endpoint, which attempt it was, and what came of it', async () => {
  const { spans } = await sendThrice([anAnswer(503), aFailure('timeout')]);
  expect(spans.map(({ attributes }) => attributes)).toMatchObject([
    { 'hookline.attempt': 1, 'hookline.outcome': 'http_5xx', 'http.response.status_code': 503, 'error.type': '503' },
    { 'hookline.attempt': 2, 'hookline.outcome': 'timeout', 'error.type': 'timeout', 'http.request.resend_count': 1 },
    { 'hookline.attempt': 3, 'hookline.outcome': 'delivered', 'http.response.status_code': 200, 'server.port': 8443 },
  ]);
  expect(spans[0]?.attributes).not.toHaveProperty('http.request.resend_count');
  expect(spans[2]?.attributes).not.toHaveProperty('error.type');
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toMatch(/secret|pass|whsec_/);
});

it('of a trace that is not sampled there is none, and the receiver has a parent of its own each time all the same', async () => {
  const { spans, headers, sendings } = await sendThrice([], { traceparent: `00-${traceId}-${parentId}-00` });
  expect(spans.length).toBe(0);
  expect(new Set(headers).size).toBe(3);
  for (const header of headers) expect(header).toMatch(new RegExp(`^00-${traceId}-(?!${parentId})[0-9a-f]{16}-00$`));
  expect(sendings.map(({ exemplar }) => exemplar)).toEqual([undefined, undefined, undefined]);
});
