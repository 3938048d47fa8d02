import type { Delivery } from '#lib/api-contract';
import { isFinal } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { Clock } from '#lib/runtime';
import { type AttemptRow, listAttempts, listDeliveriesOfEvent } from '../deliveries/index.ts';
import type { AwaitedTenants } from '../events/index.ts';

interface Awaited {
  tenant: string;
  /** The id of an event with one delivery. */
  eventId: string;
  withinMs: number;
  /** Ends the wait before its time. */
  signal: AbortSignal;
}

interface Deps {
  postgres: Query;
  polling: { awaited: AwaitedTenants };
  clock: Clock;
}

const lookEveryMs = 100;

/** The delivery of an event and its first attempt, as far as there are any within the time. */
export async function awaitAttempt(
  deps: Deps,
  awaited: Awaited,
): Promise<{ delivery?: Delivery; attempt?: AttemptRow }> {
  deps.polling.awaited.begin(awaited.tenant);
  try {
    return await lookUntilAttempted(deps, awaited);
  } finally {
    deps.polling.awaited.end(awaited.tenant);
  }
}

async function lookUntilAttempted(
  { postgres, clock }: Deps,
  { tenant, eventId, withinMs, signal }: Awaited,
): ReturnType<typeof awaitAttempt> {
  const endsAtMs = clock.monotonicMs() + withinMs;
  for (;;) {
    const [delivery] = await listDeliveriesOfEvent(postgres, tenant, eventId, { after: null, limit: 1 });
    if (delivery !== undefined) {
      const [attempt] = await listAttempts(postgres, tenant, delivery.id, { after: null, limit: 1 });
      if (attempt !== undefined) return { delivery, attempt };
    }
    const isOver = signal.aborted || clock.monotonicMs() >= endsAtMs;
    if (isOver || (delivery !== undefined && isFinal(delivery.status)))
      return delivery === undefined ? {} : { delivery };
    await clock.sleep(lookEveryMs, signal);
  }
}
