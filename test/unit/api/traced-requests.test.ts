import { silentLogger } from '#lib/runtime';
import { createRecordingTracer } from '../telemetry/recording-tracer.ts';
import { adminKey, authorization, buildTestApp } from './build-test-app.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

async function ask(path: string, headers: Record<string, string> = { authorization }) {
  const { tracer, spans } = createRecordingTracer();
  const lines: Record<string, unknown>[] = [];
  const { app } = buildTestApp({
    tracer,
    log: { ...silentLogger, isOn: () => true, info: (line) => void lines.push(line) },
  });
  const answer = await app.inject({ method: 'GET', url: path, headers: { traceparent, ...headers } });
  await app.close();
  return { answer, span: spans()[0], lines };
}

test('a request is a span of its client’s trace, named after its route', async () => {
  const { span, lines } = await ask('/openapi.json?secret=of-the-query');
  expect(span).toMatchObject({
    name: 'GET /openapi.json',
    parentSpanContext: { traceId, spanId: 'b7ad6b7169203331' },
    attributes: { 'http.route': '/openapi.json', 'http.response.status_code': 200, 'url.path': '/openapi.json' },
  });
  expect(JSON.stringify(span?.attributes)).not.toMatch(/of-the-query/);
  expect(JSON.stringify(span?.attributes)).not.toContain(adminKey);
  expect(lines).toMatchObject([{ event: 'request.answered', traceId }]);
});

test('what events are looked for by is in no log line and no span', async () => {
  for (const query of ['tag=customer:of-a-person', 'event_id=of-a-person', 'tag=of-a-person'])
    for (const path of ['/v1/events', '/v1/events?order=desc', '/v1/events/search']) {
      const { span, lines } = await ask(`${path}${path.includes('?') ? '&' : '?'}${query}`);
      expect(lines.length).toBeGreaterThan(0);
      expect(JSON.stringify([span?.name, span?.attributes, span?.status, span?.events, lines])).not.toContain('person');
    }
});

test('a path that does not exist has a span without a route', async () => {
  const { span } = await ask('/v1/nothing');
  expect(span).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 404 } });
  expect(span?.attributes).not.toHaveProperty('http.route');
});

test('an answer of 500 is an error of ours, one of 401 is not', async () => {
  // There is no database behind it.
  const failed = await ask('/v1/sources');
  expect([failed.answer.statusCode, failed.span?.status.code]).toEqual([500, 2]);
  const refused = await ask('/v1/sources', {});
  expect([refused.answer.statusCode, refused.span?.status.code]).toEqual([401, 0]);
});
