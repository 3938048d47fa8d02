import type { Clock } from '../clock/clock.ts';

export interface RepeatOptions {
  /**
   * The pause between two times; a function is asked after each. From `alignedFromMs` on it ends at a multiple of itself, so that all that repeats
   * wakes the process together: it is never longer, and the first may be shorter. After work that took more than half of it, and where
   * it is less, it is exact.
   */
  everyMs: number | (() => number);
  /** Begins with the pause. */
  waitsFirst?: boolean;
  clock: Pick<Clock, 'sleep' | 'sleepUntilNext' | 'monotonicMs'>;
}

/** Shorter pauses are of work under way, or of measurements: there the instant matters. */
const alignedFromMs = 250;

/** Does work again and again, with a pause between, until the signal aborts, which ends a pause. If the work throws, that is the end. */
export async function repeat(
  work: () => unknown,
  { everyMs, waitsFirst = false, clock }: RepeatOptions,
  signal: AbortSignal,
): Promise<void> {
  const pause = (tookMs: number): Promise<void> => {
    const ms = typeof everyMs === 'number' ? everyMs : everyMs();
    return ms < alignedFromMs || tookMs > ms / 2 ? clock.sleep(ms, signal) : clock.sleepUntilNext(ms, signal);
  };
  if (waitsFirst) await pause(0);
  while (!signal.aborted) {
    const beganAtMs = clock.monotonicMs();
    await work();
    await pause(clock.monotonicMs() - beganAtMs);
  }
}
