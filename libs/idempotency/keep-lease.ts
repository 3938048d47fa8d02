import { type Clock, repeat } from '#lib/runtime';
import type { Run } from './ports.ts';

/** Two renewals may fail before the lease is over. */
const renewalsPerLease = 3;

/** Renews the lease while the handler runs. A lost lease, or an unavailable store, shows at the end of the run. */
export function keepLease(
  run: Pick<Run<unknown>, 'renew'>,
  { lockSeconds, clock }: { lockSeconds: number; clock: Clock },
): { stop(): void } {
  const stopping = new AbortController();
  const renewEveryMs = (lockSeconds * 1000) / renewalsPerLease;

  const renew = async (): Promise<void> => {
    const isHeld = await run.renew().catch(() => true);
    if (!isHeld) stopping.abort();
  };
  void repeat(renew, { everyMs: renewEveryMs, waitsFirst: true, clock }, stopping.signal);
  return { stop: () => stopping.abort() };
}
