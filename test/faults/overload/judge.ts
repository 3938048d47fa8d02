import type { LoadReport } from '../../support/load/load.ts';
import { type MemorySamples, trendOf } from './memory.ts';

export const answerWithinMs = 2_000;

/** `flat` is for runs of minutes: before that, heaps still grow to the size at which they stay. `mostMib` is what each process may have. */
export type MemoryRule = 'flat' | { mostMib: number };

export interface Evidence {
  load: LoadReport;
  /** How often each receipt stands on the topic. */
  onTopic: ReadonlyMap<string, number>;
  memory: MemorySamples;
  memoryRule: MemoryRule;
  /** The most that each source with a rate limit may have got accepted. */
  mostAccepted: Readonly<Record<string, number>>;
  /** Beside the two seconds: the kernel's queues on both sides, which no service sees. */
  toleranceMs: number;
}

/** The broken promises of a run; none if all held. */
export function judge({ load, onTopic, memory, memoryRule, mostAccepted, toleranceMs }: Evidence): string[] {
  const violations: string[] = [];
  const receipts = Object.values(load.receipts).flat();
  const lost = receipts.filter((id) => !onTopic.has(id));
  if (lost.length > 0)
    violations.push(
      `${lost.length} of ${receipts.length} answered 2xx are not on the topic: ${lost.slice(0, 5).join(' ')}`,
    );
  if (new Set(receipts).size < receipts.length) violations.push('a receipt was given twice');
  if (receipts.length === 0) violations.push('nothing was accepted');
  if (load.maxMs > answerWithinMs + toleranceMs)
    violations.push(`an answer took ${Math.round(load.maxMs)} ms, more than ${answerWithinMs} + ${toleranceMs}`);
  for (const [name, samples] of Object.entries(memory)) {
    const { middleMib, lastMib, maxMib, isFlat } = trendOf(samples);
    if (memoryRule !== 'flat') {
      if (maxMib > memoryRule.mostMib) violations.push(`${name} took ${maxMib.toFixed()} MiB of ${memoryRule.mostMib}`);
    } else if (!isFlat) violations.push(`${name} grew from ${middleMib.toFixed()} to ${lastMib.toFixed()} MiB`);
  }
  for (const [source, most] of Object.entries(mostAccepted)) {
    const accepted = load.receipts[source]?.length ?? 0;
    if (accepted > most) violations.push(`${source} got ${accepted} through, more than its ${most}`);
  }
  const unexpected = Object.keys(load.answers).filter((status) => !expected.has(status));
  if (unexpected.length > 0) violations.push(`answers that nobody expects: ${unexpected.join(' ')}`);
  return violations;
}

/** `none`: a connection beyond what there is room for is closed. */
const expected = new Set(['202', '429', '503', 'none']);
