import type { Clock } from '#lib/runtime';

/** Turns of a replay: at each, up to `size` items may go. */
export interface Pace {
  readonly size: number;
  /** Time until the next turn; 0: now. */
  waitMs(): number;
  /** Resolves when it is time for the next turn, or the signal aborts. */
  turn(signal: AbortSignal): Promise<void>;
  /** The turn had nothing to send: the next may begin at once. */
  unused(): void;
}

const turnsPerSecond = 5;

/**
 * In any time t no more than `size + perSecond · t` go: a turn that comes late is not made up for. A rate that is slower than the turns
 * sends one at a time.
 *
 * @param perSecond null: as fast as it goes
 */
export function createPace(perSecond: number | null, maxSize: number, clock: Clock): Pace {
  if (perSecond === null)
    return { size: maxSize, waitMs: () => 0, turn: async () => undefined, unused: () => undefined };
  const size = Math.min(maxSize, Math.max(1, Math.floor(perSecond / turnsPerSecond)));
  let nextAtMs = Number.NEGATIVE_INFINITY;
  const waitMs = (): number => Math.max(0, nextAtMs - clock.monotonicMs());
  return {
    size,
    waitMs,
    async turn(signal) {
      if (waitMs() > 0) await clock.sleep(waitMs(), signal);
      nextAtMs = clock.monotonicMs() + (size / perSecond) * 1_000;
    },
    unused() {
      nextAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}
