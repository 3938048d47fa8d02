import { AsyncLocalStorage } from 'node:async_hooks';
import { announceAwaited, awaitedAgainMs, awaitedRows, run } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import type { Clock, Logger } from '#lib/runtime';

/**
 * Announces to the projectors for which tenants requests wait here: libs/event-store/awaited-tenants.ts. At once when the first of a tenant
 * begins to wait, and again while any does. A tenant whose requests come and go is announced no oftener. Without one that waits there is no timer.
 */

export interface AwaitedTenants {
  /** A request waits for changes of this tenant, until `end` is called for it. */
  begin(tenant: string): void;
  end(tenant: string): void;
}

interface Deps {
  postgres: Query;
  clock: Clock;
  log: Logger;
  /** Aborts when the process stops. */
  closing: AbortSignal;
}

export function createAwaitedTenants({ postgres, clock, log, closing }: Deps): AwaitedTenants {
  // Not for the request that happens to be the first: http/current-request.ts.
  const outside = AsyncLocalStorage.snapshot();
  /** How many wait, of each tenant that was announced a moment ago. */
  const waiting = new Map<string, number>();
  const due = new Set<string>();
  let isAnnouncing = false;
  let isRepeating = false;

  /** One statement at a time: tenants that come meanwhile share the next. */
  async function announce(): Promise<void> {
    if (isAnnouncing) return;
    isAnnouncing = true;
    while (due.size > 0 && !closing.aborted) {
      const tenants = [...due];
      due.clear();
      // Not tried again: it is repeated anyway.
      await run(postgres, announceAwaited, awaitedRows(tenants)).catch((error: unknown) =>
        log.debug({ event: 'longpoll.not_announced', err: error }),
      );
    }
    isAnnouncing = false;
  }

  async function repeat(): Promise<void> {
    if (isRepeating) return;
    isRepeating = true;
    while (waiting.size > 0 && !closing.aborted) {
      await clock.sleep(awaitedAgainMs, closing);
      for (const [tenant, count] of waiting)
        if (count > 0) due.add(tenant);
        else waiting.delete(tenant);
      await announce();
    }
    isRepeating = false;
  }

  return {
    begin(tenant) {
      const count = waiting.get(tenant);
      waiting.set(tenant, (count ?? 0) + 1);
      if (count !== undefined) return;
      due.add(tenant);
      void outside(announce);
      void outside(repeat);
    },
    end(tenant) {
      const count = waiting.get(tenant);
      if (count !== undefined) waiting.set(tenant, Math.max(0, count - 1));
    },
  };
}
