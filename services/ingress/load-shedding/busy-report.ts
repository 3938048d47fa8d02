import type { Clock, Logger } from '#lib/runtime';
import type { IngressMetrics } from '../metrics.ts';

/** Counts webhooks that are shed, and logs the number at most once a second: logging each would add load. */
export function createBusyReport(deps: {
  metrics: Pick<IngressMetrics, 'turnedAway'>;
  clock: Clock;
  log: Logger;
}): (reason: string) => void {
  const everyMs = 1_000;
  let since = new Map<string, number>();
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return (reason) => {
    deps.metrics.turnedAway(reason);
    since.set(reason, (since.get(reason) ?? 0) + 1);
    const nowMs = deps.clock.monotonicMs();
    if (nowMs - loggedAtMs < everyMs) return;
    deps.log.warn({ event: 'ingress.busy', turnedAway: Object.fromEntries(since) });
    loggedAtMs = nowMs;
    since = new Map();
  };
}
