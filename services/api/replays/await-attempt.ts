import type { Delivery } from '#lib/api-contract';
import { isFinal } from '#lib/contract';
import { type AttemptRow, listAttempts, listDeliveriesOfEvent } from '../deliveries/index.ts';
import type { RouteDeps } from '../route.ts';

interface Awaited {
  tenant: string;
  /** The id of an event with one delivery. */
  eventId: string;
  withinMs: number;
  /** Ends the wait before its time. */
  signal: AbortSignal;
}

const lookEveryMs = 100;

/** The delivery of an event and its first attempt, as far as there are any within the time. */
export async function awaitAttempt(
  { postgres, polling, clock }: Pick<RouteDeps, 'postgres' | 'polling' | 'clock'>,
  { tenant, eventId, withinMs, signal }: Awaited,
): Promise<{ delivery?: Delivery | undefined; attempt?: AttemptRow }> {
  const first = { after: null, limit: 1 };
  polling.awaited.begin(tenant);
  try {
    const endsAtMs = clock.monotonicMs() + withinMs;
    for (;;) {
      const [delivery] = await listDeliveriesOfEvent(postgres, tenant, eventId, first);
      if (delivery !== undefined) {
        const [attempt] = await listAttempts(postgres, tenant, delivery.id, first);
        if (attempt !== undefined) return { delivery, attempt };
      }
      const isOver = signal.aborted || clock.monotonicMs() >= endsAtMs;
      if (isOver || (delivery !== undefined && isFinal(delivery.status))) return { delivery };
      await clock.sleep(lookEveryMs, signal);
    }
  } finally {
    polling.awaited.end(tenant);
  }
}
