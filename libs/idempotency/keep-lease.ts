import type { Clock } from '#lib/clock';
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

  const renewUntilStopped = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(renewEveryMs, stopping.signal);
      if (stopping.signal.aborted) return;
      const isHeld = await run.renew().catch(() => true);
      if (!isHeld) return;
    }
  };
  void renewUntilStopped();
  return { stop: () => stopping.abort() };
}
