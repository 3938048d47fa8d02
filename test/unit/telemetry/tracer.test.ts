import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { attribute, noTracer, type Work } from '#lib/telemetry';
import { maxLinks } from '../../../libs/telemetry/sdk-tracer.ts';
import { createRecordingTracer } from './recording-tracer.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const given = `00-${traceId}-b7ad6b7169203331-01`;
const unsampled = `00-${traceId}-b7ad6b7169203331-00`;
const work: Work = { kind: 'consumer', name: 'process things' };
const numbered = (n: number): string => `00-${traceId}-${n.toString(16).padStart(16, '1')}-01`;

describe('a piece of work', () => {
  it('is a span of its parent’s trace, and hands on itself', () => {
    const { tracer, spans } = createRecordingTracer();
    const span = tracer.start(work, given);
    span.set({ [attribute.eventId]: 'evt_1', [attribute.tenant]: undefined });
    span.end();
    const [told] = spans();
    expect(told).toMatchObject({
      name: 'process things',
      kind: SpanKind.CONSUMER,
      attributes: { 'hookline.event.id': 'evt_1' },
    });
    expect(told?.parentSpanContext).toMatchObject({ traceId, spanId: 'b7ad6b7169203331' });
    const { spanId } = told?.spanContext() ?? {};
    expect(span.traceparent).toBe(`00-${traceId}-${spanId}-01`);
    expect(span.exemplar).toEqual({ trace_id: traceId, span_id: spanId });
  });

  it('is not recorded where its sender does not sample, and hands on what it came with', () => {
    const { tracer, spans } = createRecordingTracer();
    const span = tracer.start(work, unsampled);
    span.end();
    expect(span).toMatchObject({ isRecorded: false, traceparent: unsampled, exemplar: undefined });
    expect(spans().length).toBe(0);
  });

  it.each([undefined, '', 'junk', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`])(
    'begins a trace where it came with %j',
    (parent) => {
      const { tracer, spans } = createRecordingTracer();
      const span = tracer.start(work, parent);
      span.end();
      expect(span.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      expect(spans()[0]?.parentSpanContext).toBeUndefined();
    },
  );

  it('that begins a trace which is not sampled hands that on, for the others to know', () => {
    const { tracer } = createRecordingTracer({ sampler: 'parentbased_always_off' });
    const span = tracer.start(work, undefined);
    expect(span.isRecorded).toBe(false);
    expect(span.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  it('that failed says how', () => {
    const { tracer, spans } = createRecordingTracer();
    const span = tracer.start(work, given);
    span.fail('http_5xx');
    span.end();
    expect(spans()[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'http_5xx' },
    });
  });
});

describe('work on many things', () => {
  const startBatch = (traceparents: readonly (string | undefined)[], sampler?: 'traceidratio') => {
    const recording = createRecordingTracer(sampler && { sampler });
    const span = recording.tracer.startBatch(work, traceparents, (traceparent) => traceparent);
    span.end();
    return { span, spans: recording.spans() };
  };

  it('is a part of the first that is sampled, linked to the others, each once', () => {
    const { spans } = startBatch([undefined, 'junk', unsampled, numbered(1), numbered(2), numbered(1), numbered(3)]);
    expect(spans).toHaveLength(1);
    expect(spans[0]?.parentSpanContext).toMatchObject({ spanId: numbered(1).slice(36, 52) });
    expect(spans[0]?.links.map(({ context }) => context.spanId)).toEqual([2, 3].map((n) => numbered(n).slice(36, 52)));
  });

  it('of which none is sampled is no span', () => {
    const { span, spans } = startBatch([unsampled, undefined, '']);
    expect([span.isRecorded, spans.length]).toEqual([false, 0]);
  });

  it('looks at no more of them than a span has links for', () => {
    const { spans } = startBatch(Array.from({ length: 500 }, (_, n) => numbered(n + 1)));
    expect(spans[0]?.links).toHaveLength(maxLinks);
  });
});

describe('without tracing', () => {
  it('work hands on what it came with', () => {
    expect(noTracer.start(work, given)).toMatchObject({ isRecorded: false, traceparent: given });
    expect(noTracer.start(work, undefined).traceparent).toBe('');
  });

  it('nothing of a batch is looked at', () => {
    const look = jest.fn();
    expect(noTracer.startBatch(work, [given], look).isRecorded).toBe(false);
    expect(look).not.toHaveBeenCalled();
  });
});
