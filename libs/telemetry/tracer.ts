/**
 * Tracing as services see it, without the SDK behind it. A context travels as the text of a `traceparent`: in a request's header, a
 * record's, a row's column.
 */

type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Work {
  /** `server`, `client`: of a request; `producer`, `consumer`: of records. */
  kind: 'server' | 'client' | 'producer' | 'consumer';
  /** A name of low cardinality; details are attributes. */
  name: string;
}

export interface Tracer {
  /**
   * Begins a piece of work.
   *
   * @param parent the traceparent that it came with; without a valid one it begins a trace
   */
  start(work: Work, parent: string | undefined): Span;
  /**
   * Begins work on several items. Its span is in the trace of the first sampled one, with links to the others: a trace with a single item
   * in the batch has no gap, and unsampled items cause no span.
   */
  startBatch<T>(work: Work, items: Iterable<T>, traceparentOf: (item: T) => string | undefined): Span;
}

export interface Span {
  /** False: the span is discarded, and so are its attributes. */
  readonly isRecorded: boolean;
  /** Passed on with the results of the work: the span's own if it is recorded, else the incoming one; empty if there is none. */
  readonly traceparent: string;
  /** The trace, for exemplars of measurements. */
  readonly exemplar: Exemplar | undefined;
  /** See attributes.ts. No payload, no secret, no idempotency key. Ask `isRecorded` before much is put together for it. */
  set(attributes: SpanAttributes): void;
  /** @param type one of few: a status, a code, an outcome */
  fail(type: string): void;
  /** Ends it once; later calls do nothing. */
  end(): void;
}

/** Labels that link a measurement to its trace. */
export interface Exemplar {
  trace_id: string;
  span_id: string;
}

/** Work that is not recorded. */
export const unrecorded = (traceparent: string): Span => ({ ...nothing, traceparent });

const nothing = {
  isRecorded: false,
  traceparent: '',
  exemplar: undefined,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
} satisfies Span;

/** Tracing is off. Who puts a name together for a span compares with this first, and takes `untraced` instead. */
export const noTracer: Tracer = {
  start: (_work, parent) => untraced(parent),
  startBatch: () => nothing,
};

/** The span of work where tracing is off. */
export const untraced = (parent?: string): Span => (parent === undefined ? nothing : unrecorded(parent));
