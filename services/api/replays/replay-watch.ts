import { AsyncLocalStorage } from 'node:async_hooks';
import type { Query } from '#lib/postgres';
import { replayColumns, type ReplayRow } from '#lib/replay-store';
import type { Clock } from '#lib/runtime';

/** Requests that are held until a replay changes. However many wait, each look is one statement. */
export interface ReplayWatch {
  /** Resolves when the replay is not as it was seen any more, the time is up, or the signal aborts. */
  changed(tenant: string, seen: ReplayRow, withinMs: number, signal: AbortSignal): Promise<void>;
}

interface Waiter {
  tenant: string;
  seen: ReplayRow;
  wake(): void;
}

const lookEveryMs = 500;

export function createReplayWatch({ postgres, clock }: { postgres: Query; clock: Clock }): ReplayWatch {
  const waiters = new Set<Waiter>();
  let isLooking = false;
  // A look is for all who wait, and must not end with the one that began it: http/current-request.ts.
  const outside = AsyncLocalStorage.snapshot();

  async function look(): Promise<void> {
    const ids = new Map([...waiters].map(({ tenant, seen }) => [seen.id, tenant]));
    const rows = await postgres.query<ReplayRow>(
      `SELECT ${replayColumns} FROM replays
        WHERE (tenant, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
      [[...ids.values()], [...ids.keys()]],
    );
    const now = new Map(rows.map((row) => [row.id, progressOf(row)]));
    // One that is removed has changed, too.
    for (const { seen, wake } of waiters) if (now.get(seen.id) !== progressOf(seen)) wake();
  }

  async function lookWhileAnyWaits(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    while (waiters.size > 0) {
      await clock.sleep(lookEveryMs);
      // Waiters look for themselves when their time is up.
      if (waiters.size > 0) await look().catch(() => undefined);
    }
    isLooking = false;
  }

  return {
    async changed(tenant, seen, withinMs, signal) {
      const woken = new AbortController();
      const waiter = { tenant, seen, wake: () => woken.abort() };
      waiters.add(waiter);
      void outside(lookWhileAnyWaits);
      await clock.sleep(withinMs, AbortSignal.any([signal, woken.signal]));
      waiters.delete(waiter);
    },
  };
}

const progressOf = ({ status, matched, left_out, replayed, failed, outcome }: ReplayRow): string =>
  [status, matched, left_out, replayed, failed, JSON.stringify(outcome)].join();
