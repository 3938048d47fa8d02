import { type Clock, inRounds, type Logger, type Part } from '#lib/runtime';
import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';
import type { Query } from './postgres.ts';

export const clockMetrics = {
  skew: {
    kind: 'gauge',
    name: 'hookline_clock_skew_seconds',
    help: 'Clock of Postgres minus the clock of this process, accurate to half a round trip',
    unit: 'seconds',
  },
} satisfies MetricTable;

const everyMs = 15_000;
/** An answer that took longer says too little. */
const maxRoundTripMs = 500;

/**
 * Compares the process’s clock with that of Postgres, the one clock that all processes know. Times are compared across processes: receipts
 * with expiries, due times with now. It also finds out that Postgres is away where nobody else asks.
 */
export function watchClock(options: { postgres: Query; clock: Clock; log: Logger; metrics: Metrics }): Part {
  const { postgres, clock, log } = options;
  const { skew } = registerMetrics(clockMetrics, options.metrics);

  async function compare(): Promise<void> {
    const [askedAtMs, beganMs] = [clock.nowMs(), clock.monotonicMs()];
    const [row] = await postgres.query<{ ms: number }>(
      'SELECT 1000 * extract(epoch FROM clock_timestamp())::float8 AS ms',
    );
    const tookMs = clock.monotonicMs() - beganMs;
    if (row === undefined || tookMs > maxRoundTripMs) return;
    skew.set((row.ms - (askedAtMs + tookMs / 2)) / 1000);
  }

  return inRounds(compare, { name: 'comparison of clocks', everyMs, clock, log });
}
