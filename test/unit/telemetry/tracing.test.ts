import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Logger, silentLogger, systemClock } from '#lib/runtime';
import { createTracing, Metrics, noTracer, type TraceSettings, type Tracing } from '#lib/telemetry';
import { type OtlpReceiver, startOtlpReceiver } from '../../support/otlp/receiver.ts';
import { waitUntil } from '../../support/wait-until.ts';

const root = join(import.meta.dirname, '../../..');

let collector: OtlpReceiver;
beforeEach(async () => {
  collector = await startOtlpReceiver();
});
afterEach(() => collector.stop());

async function open(given: Partial<TraceSettings> = {}, closeWithinMs = 5_000) {
  const metrics = new Metrics();
  const lines: { event: string }[] = [];
  const keep = (line: { event: string }): void => void lines.push(line);
  const log: Logger = { ...silentLogger, info: keep, warn: keep };
  const tracing: Tracing = await createTracing({
    settings: {
      url: `${collector.endpoint}/v1/traces`,
      headers: { 'x-key': 'k' },
      compression: 'none',
      timeoutMs: 1_000,
      sampler: 'parentbased_always_on',
      ratio: 1,
      resource: { 'service.name': 'hookline-test', 'service.version': '1' },
      maxQueued: 100,
      delayMs: 60_000,
      ...given,
    },
    metrics,
    clock: systemClock,
    log,
    closeWithinMs: () => closeWithinMs,
  });
  await tracing.part.start();
  const work = (count: number): void => {
    for (let n = 0; n < count; n += 1) tracing.tracer.start({ kind: 'server', name: `work ${n}` }, undefined).end();
  };
  const counted = async (): Promise<Record<string, number>> => {
    const [metric] = await metrics.getMetricsAsJSON();
    return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [String(labels['outcome']), value]));
  };
  return { ...tracing, work, counted, events: () => lines.map(({ event }) => event) };
}

test('what waits when the process stops is sent first, as OTLP, under the service’s name', async () => {
  const { part, work, counted } = await open();
  work(3);
  expect(collector.spans).toEqual([]);
  await part.stop();
  expect(collector.spans).toMatchObject(
    [0, 1, 2].map((n) => ({ service: 'hookline-test', name: `work ${n}`, kind: 'server' })),
  );
  expect(collector.requests).toMatchObject([{ path: '/v1/traces', headers: { 'x-key': 'k' } }]);
  expect(await counted()).toEqual({ exported: 3, dropped: 0, failed: 0 });
});

test('a collector that hangs is waited for at the stop no longer than there is time', async () => {
  const { part, work } = await open({ timeoutMs: 3_000 }, 300);
  collector.answer('hang');
  work(1);
  const beganAtMs = performance.now();
  await part.stop();
  expect(performance.now() - beganAtMs).toBeLessThan(2_000);
});

test('one line says that the collector is away, and one that it is back; what was lost is counted', async () => {
  const { part, work, counted, events } = await open({ delayMs: 20 });
  collector.answer(400);
  for (let failures = 1; failures <= 3; failures += 1) {
    work(1);
    await waitUntil('it failed', async () => (await counted())['failed'] === failures);
  }
  collector.answer(200);
  work(2);
  await waitUntil('they are exported', async () => (await counted())['exported'] === 2);
  await part.stop();
  expect(events()).toEqual(['traces.not_exported', 'traces.exported_again']);
});

test('off, there is no tracer; its metric is there all the same', async () => {
  const metrics = new Metrics();
  const { tracer, part } = await createTracing({
    settings: undefined,
    metrics,
    clock: systemClock,
    log: silentLogger,
    closeWithinMs: () => 0,
  });
  await part.start();
  await part.stop();
  expect(tracer).toBe(noTracer);
  expect(await metrics.metrics()).toContain('hookline_trace_spans_total{outcome="exported"} 0\n');
});

/** Asks a process of its own what it has loaded: jest’s modules are not Node’s. */
async function loadedBy(settings: string): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) });
    const { createTracing, Metrics } = await import('#lib/telemetry');
    await createTracing({ settings: ${settings}, metrics: new Metrics(), closeWithinMs: () => 0 });
    const packages = [...loaded].flatMap((url) => /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(url)?.[1] ?? []);
    console.log(JSON.stringify([...new Set(packages)]));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
  return JSON.parse(stdout) as string[];
}

test('off, nothing of the SDK is loaded', async () => {
  expect(await loadedBy('undefined')).toEqual(['@opentelemetry/api']);
  const on = await loadedBy(
    `{ url: 'http://127.0.0.1:1/', headers: {}, sampler: 'always_on', resource: {}, timeoutMs: 1, maxQueued: 1, delayMs: 1 }`,
  );
  expect(on).toContain('@opentelemetry/sdk-trace');
});
