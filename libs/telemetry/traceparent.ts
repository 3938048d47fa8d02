import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api';
import { type RandomBytes, randomPool } from '#lib/runtime';

/** W3C Trace Context, version 00: `00-<trace id>-<parent id>-<flags>`, all lower-case hex. */
const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The sender's own traceparent if valid, else the start of a new unsampled trace. */
export function newTraceparent(given: string | undefined, random: RandomBytes = randomPool): string {
  if (given !== undefined && parseTraceparent(given) !== undefined) return given;
  return formatTraceparent({ traceId: hex(random(16)), spanId: hex(random(8)), traceFlags: TraceFlags.NONE });
}

/** The same trace with a new span id, for one attempt; a new trace if the parent is invalid. */
export function childTraceparent(parent: string, random: RandomBytes = randomPool): string {
  const context = parseTraceparent(parent);
  return context === undefined
    ? newTraceparent(undefined, random)
    : formatTraceparent({ ...context, spanId: hex(random(8)) });
}

const length = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'.length;

/** The trace id for a log line; undefined if there is none. Checks only the length, because it is called for every webhook. */
export const traceIdOf = (traceparent: string | undefined): string | undefined =>
  traceparent?.length === length ? traceparent.slice(3, 35) : undefined;

export function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = pattern.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
  return isSpanContextValid(context) ? context : undefined;
}

const hex = (bytes: Buffer): string => bytes.toString('hex');

export const formatTraceparent = (context: SpanContext): string =>
  `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`;
