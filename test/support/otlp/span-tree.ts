import type { ExportedSpan } from './read-spans.ts';

/**
 * The reasons why these spans are not one tree whose root has the given parent: another trace, a parent that was not exported, a second
 * root, a repeated span. Empty if they are one.
 */
export function faultsOfTree(
  spans: readonly ExportedSpan[],
  root: { traceId: string; parentSpanId: string },
): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const faults: string[] = [];
  if (byId.size < spans.length) faults.push('a span was exported twice');
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === root.parentSpanId);
  if (roots.length !== 1) faults.push(`${roots.length} roots: ${roots.map(describe).join(', ')}`);
  for (const span of spans) {
    if (span.traceId !== root.traceId) faults.push(`${describe(span)} is in trace ${span.traceId}`);
    if (!roots.includes(span) && !byId.has(span.parentSpanId))
      faults.push(`${describe(span)} has a parent that is not there: ${span.parentSpanId}`);
  }
  return faults;
}

/** Names from the root to the span. */
export function pathOf(span: ExportedSpan, spans: readonly ExportedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent === undefined ? [] : pathOf(parent, spans)), describe(span)];
}

const describe = ({ service, name }: ExportedSpan): string => `${service}: ${name}`;
