/**
 * How long sends to an endpoint hold their places, whatever their outcome: an endpoint that answers 200 after a minute costs others as much
 * as one that hangs. It is a mean of the last sends, weighted towards the latest.
 */
export interface HoldTime {
  observe(heldMs: number): void;
  meanMs(): number;
  isSlow(): boolean;
  /** True if its history is too short to keep. */
  isBrief(): boolean;
}

/** The time-out of an endpoint that has set none is five seconds, and most answer within one. */
const slowFromMs = 2_000;
const briefBelowMs = slowFromMs / 4;
/** Weight of the latest send: an endpoint that becomes quick counts as quick after at most six sends. */
const weight = 1 / 4;
const countedMs = 10_000;

/** Whether one send takes so long that an endpoint without a memory gets one. */
export const isLongHold = (heldMs: number): boolean => heldMs * weight >= briefBelowMs;

export function createHoldTime(): HoldTime {
  let meanMs = 0;
  return {
    observe: (heldMs) => void (meanMs += (Math.min(heldMs, countedMs) - meanMs) * weight),
    meanMs: () => meanMs,
    isSlow: () => meanMs >= slowFromMs,
    isBrief: () => meanMs < briefBelowMs,
  };
}
