import { readConfig, serviceFields, serviceRelations } from '#lib/config';
import { type TraceSettings, traceSettings } from '#lib/telemetry';

const read = (env: Record<string, string>): TraceSettings | undefined =>
  traceSettings(readConfig(serviceFields(9_080), env, [serviceRelations]), {
    service: 'ingress',
    version: '1.2.3',
    instanceId: 'one',
  });
const collector = 'http://collector:4318';

test.each([
  ['nothing is set', {}],
  ['the exporter is none', { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: collector }],
  ['the SDK is disabled', { OTEL_SDK_DISABLED: 'true', OTEL_TRACES_EXPORTER: 'otlp' }],
  ['all are empty', { OTEL_TRACES_EXPORTER: '', OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_SAMPLER: '' }],
])('tracing is off where %s', (_when, env) => {
  expect(read(env)).toBeUndefined();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: collector }, `${collector}/v1/traces`],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/base/` }, `${collector}/base/v1/traces`],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://a/b' }, 'https://a/b'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://a/b' }, 'https://a/b'],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
])('with %j traces go to %s', (env, url) => {
  expect(read(env)?.url).toBe(url);
});

test('the rest is what the variables say', () => {
  expect(
    read({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key = a%2Cb , x-other=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-other=2',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1500',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
      OTEL_BSP_MAX_QUEUE_SIZE: '7',
      OTEL_BSP_SCHEDULE_DELAY: '',
    }),
  ).toEqual({
    url: `${collector}/v1/traces`,
    headers: { 'x-key': 'a,b', 'x-other': '2' },
    compression: 'gzip',
    timeoutMs: 1_500,
    sampler: 'parentbased_traceidratio',
    ratio: 0.25,
    resource: {
      'service.name': 'other',
      'service.version': '1.2.3',
      'service.instance.id': 'one',
      'deployment.environment.name': 'test',
    },
    maxQueued: 7,
    delayMs: 5_000,
  });
  const named = read({
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other',
  });
  expect(named?.resource['service.name']).toBe('mine');
  expect(read({ OTEL_TRACES_EXPORTER: 'otlp' })?.resource['service.name']).toBe('hookline-ingress');
});

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL=grpc must be one of http\/protobuf/],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }, /OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http\/json must be one of/],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER=zipkin/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, /OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317/],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /OTEL_TRACES_SAMPLER=jaeger_remote must be one of always_on, /],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1.5' }, /OTEL_TRACES_SAMPLER_ARG=1\.5/],
  [{ OTEL_TRACES_SAMPLER_ARG: '0.5' }, /OTEL_TRACES_SAMPLER_ARG has no effect/],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'just words' }, /OTEL_RESOURCE_ATTRIBUTES=just words must be name=value/],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'a=%zz' }, /must be name=value/],
  [{ OTEL_BSP_MAX_QUEUE_SIZE: '0' }, /OTEL_BSP_MAX_QUEUE_SIZE=0 must be a whole number/],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%0Ab' },
    /OTEL_EXPORTER_OTLP_HEADERS: "x-key" or its value is not valid in HTTP/,
  ],
])('%j is an error at the start', (env, problem) => {
  expect(() => read(env)).toThrow(problem);
});

test('a header’s value is in no message', () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'no pair but a-secret' };
  expect(() => read(env)).toThrow('OTEL_EXPORTER_OTLP_HEADERS must be name=value, by comma');
});
