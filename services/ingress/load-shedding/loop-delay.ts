import type { Clock } from '#lib/clock';
import { createPart, type Part, repeat } from '#lib/lifecycle';

/**
 * How late this process runs: its event loop was busy, or it was given no processor. A request may have waited for that long before this
 * process could see it, and its answer may be late by as much.
 */
export interface LoopDelay extends Part {
  currentMs(): number;
}

/** Finer than any delay that matters here, and no oftener: each tick wakes a process that may have nothing to do. */
const tickMs = 50;

export function createLoopDelay(clock: Pick<Clock, 'monotonicMs' | 'sleep'>): LoopDelay {
  const stopping = new AbortController();
  let dueAtMs = Number.POSITIVE_INFINITY;
  let lastDelayMs = 0;
  let watching: Promise<void> = Promise.resolve();

  const tick = (): void => {
    const nowMs = clock.monotonicMs();
    lastDelayMs = Math.max(0, nowMs - dueAtMs);
    dueAtMs = nowMs + tickMs;
  };

  return {
    ...createPart(
      'loop delay',
      async () => {
        watching = repeat(tick, { everyMs: tickMs, clock }, stopping.signal);
      },
      async () => {
        stopping.abort();
        await watching;
      },
    ),
    // A tick that is overdue already says more than the last one.
    currentMs: () => Math.max(lastDelayMs, clock.monotonicMs() - dueAtMs),
  };
}
