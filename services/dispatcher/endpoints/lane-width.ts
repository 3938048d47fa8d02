import type { SendVerdict } from './send-verdict.ts';

/**
 * The number of connections to an endpoint that could not be reached, until it is back at its own number: one, and one more each time as many
 * sends have succeeded as it has connections. A hanging endpoint then holds one place instead of all of its lane's, and one that has just come
 * up is not run over.
 */
export interface LaneWidth {
  /** Undefined: as many as the endpoint takes. */
  shrunkTo(): number | undefined;
  shrink(): void;
  observe(verdict: SendVerdict, maxInFlight: number): void;
}

export function createLaneWidth(): LaneWidth {
  let shrunk: { width: number; successes: number } | undefined;
  const shrink = (): void => void (shrunk = { width: 1, successes: 0 });
  return {
    shrunkTo: () => shrunk?.width,
    shrink,
    observe({ kind }, maxInFlight) {
      if (kind === 'unreachable') shrink();
      if (kind !== 'well' || shrunk === undefined) return;
      const { width, successes } = shrunk;
      shrunk = successes + 1 < width ? { width, successes: successes + 1 } : { width: width + 1, successes: 0 };
      if (shrunk.width >= maxInFlight) shrunk = undefined;
    },
  };
}
