import type { SendVerdict } from './send-verdict.ts';

/**
 * How many connections an endpoint that could not be reached has, until it is back at its own number: one, and one more each time as many
 * sends have gone well as it has connections. What hangs then holds one place instead of all of the lane's, and what has just come up is not
 * run over.
 */
export interface LaneWidth {
  /** Undefined: as many as the endpoint takes. */
  shrunkTo(): number | undefined;
  shrink(): void;
  observe(verdict: SendVerdict, maxInFlight: number): void;
}

export function createLaneWidth(): LaneWidth {
  let shrunk: { width: number; wentWell: number } | undefined;
  const shrink = (): void => void (shrunk = { width: 1, wentWell: 0 });
  return {
    shrunkTo: () => shrunk?.width,
    shrink,
    observe({ kind }, maxInFlight) {
      if (kind === 'unreachable') shrink();
      if (kind !== 'well' || shrunk === undefined) return;
      const { width, wentWell } = shrunk;
      shrunk = wentWell + 1 < width ? { width, wentWell: wentWell + 1 } : { width: width + 1, wentWell: 0 };
      if (shrunk.width >= maxInFlight) shrunk = undefined;
    },
  };
}
