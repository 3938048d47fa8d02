import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late this process came to what was due, in ms. */
export interface LoopDelay {
  p99: number;
  max: number;
}

const resolutionMs = 20;

/** Watches from now on. A process whose loop is late measures every time too late, by as much. */
export function watchLoop(): () => LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  const late = (nanoseconds: number): number => Math.max(0, Math.round(nanoseconds / 1e6) - resolutionMs);
  return () => ({ p99: late(histogram.percentile(99)), max: late(histogram.max) });
}
