import { type ReadableSpan, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { samplers } from '../../../libs/config/tracing-fields.ts';
import { createSampler, createSpanPipeline, type SpanEnd } from '../../../libs/telemetry/span-pipeline.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A pipeline with an exporter that accepts spans on demand, and after the test at once. */
function setUp(maxQueued: number) {
  const ends: Record<SpanEnd, number> = { exported: 0, dropped: 0, failed: 0 };
  const batches: { spans: ReadableSpan[]; answer: (code: 0 | 1) => void }[] = [];
  let acceptsAll = false;
  const exporter: SpanExporter = {
    export: (spans, done) =>
      acceptsAll ? done({ code: 0 }) : void batches.push({ spans, answer: (code) => done({ code }) }),
    shutdown: async () => undefined,
  };
  const pipeline = createSpanPipeline({
    exporter,
    maxQueued,
    delayMs: 60_000,
    timeoutMs: 60_000,
    onEnded: (end, count) => void (ends[end] += count),
  });
  closing.push(() => {
    acceptsAll = true;
    for (const { answer } of batches) answer(0);
    return pipeline.shutdown();
  });
  const tracer = new TracerProvider({ spanProcessors: [pipeline] }).getTracer('test');
  const end = (count: number): void => {
    for (let n = 0; n < count; n += 1) tracer.startSpan('work').end();
  };
  return { ends, batches, end, pipeline };
}

test('spans that find no room are dropped and counted, and nobody waits', () => {
  const { ends, batches, end } = setUp(10);
  end(10);
  // The full batch has gone out by itself, and is not answered: ten more may wait.
  expect(batches.map(({ spans }) => spans.length)).toEqual([10]);
  end(13);
  expect(ends).toEqual({ exported: 0, dropped: 3, failed: 0 });
});

test('each span has one end', async () => {
  const { ends, batches, end, pipeline } = setUp(4);
  end(4);
  end(5);
  batches[0]?.answer(0);
  const flushed = pipeline.forceFlush().catch(() => undefined);
  expect(batches.map(({ spans }) => spans.length)).toEqual([4, 4]);
  batches[1]?.answer(1);
  await flushed;
  expect(ends).toEqual({ exported: 4, dropped: 1, failed: 4 });
});

const root = (name: (typeof samplers)[number], ratio = 1): string => createSampler({ sampler: name, ratio }).toString();

test.each(samplers)('%s is the sampler of that name', (name) => {
  const names = { on: 'AlwaysOnSampler', off: 'AlwaysOffSampler', traceidratio: 'TraceIdRatioBased' };
  const kind = name.split('_').at(-1) as keyof typeof names;
  expect(root(name).startsWith('ParentBased')).toBe(name.startsWith('parentbased_'));
  expect(root(name)).toContain(names[kind]);
});

test('a ratio is the one that is set', () => {
  expect(root('traceidratio', 0.25)).toContain('0.25');
});
