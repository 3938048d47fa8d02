import { type Clock, createPart, type Part, repeat } from '#lib/runtime';

/**
 * How late this process runs: its event loop was busy, or it was given no processor. A request may have waited for that long before this
 * process could see it, and its answer may be late by as much.
 */
export interface LoopDelay extends Part {
  currentMs(): number;
}

/** Finer than any delay that matters here, and no oftener: each tick wakes a process that may have nothing to do. */
const tickMs = 50;
/** While nobody asks. Then the delay is taken for as long as it may have been: 200 ms, less than webhooks are refused for. */
const restingTickMs = 250;
const restsAfterMs = 2_000;

export function createLoopDelay(clock: Pick<Clock, 'monotonicMs' | 'sleep' | 'sleepUntilNext'>): LoopDelay {
  const stopping = new AbortController();
  let tickedAtMs = Number.POSITIVE_INFINITY;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = tickMs;
  let lastDelayMs = 0;
  let watching: Promise<void> = Promise.resolve();

  const tick = (): void => {
    const nowMs = clock.monotonicMs();
    lastDelayMs = Math.max(0, nowMs - tickedAtMs - tickMs);
    tickedAtMs = nowMs;
    pauseMs = nowMs - askedAtMs < restsAfterMs ? tickMs : restingTickMs;
  };

  return {
    ...createPart(
      'loop delay',
      async () => {
        watching = repeat(tick, { everyMs: () => pauseMs, clock }, stopping.signal);
      },
      async () => {
        stopping.abort();
        await watching;
      },
    ),
    // A tick that is overdue already says more than the last one.
    currentMs() {
      askedAtMs = clock.monotonicMs();
      return Math.max(lastDelayMs, askedAtMs - tickedAtMs - tickMs);
    },
  };
}
