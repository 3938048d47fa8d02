import { type Delivery, type DeliveryStatus, isFinal } from '#lib/contract';
import type { Clock } from '#lib/runtime';
import { deliveryKey } from './job.ts';

/**
 * The steps that this process has lately made durable. The tables lag behind the topic: a row that they still show as due may be done, and so may
 * a delivery that its topic has twice. Forgetting one costs a repeated send, no more, so the memory is bounded.
 */
export interface RecentSteps {
  remember(delivery: Pick<Delivery, 'tenant' | 'id'>, step: number, status: DeliveryStatus): void;
  /** Whether the delivery has reached this step; true for every step after its end. */
  has(delivery: Pick<Delivery, 'tenant' | 'id'>, step: number): boolean;
  /** The step and status in which it has ended. */
  endOf(delivery: Pick<Delivery, 'tenant' | 'id'>): Reached | undefined;
}

interface Reached {
  step: number;
  status: DeliveryStatus;
}

const keptMs = 10 * 60_000;
const maxKept = 100_000;
/** Remembered steps between two sweeps of the oldest: each sweep first passes the empty places of all deleted entries of the map. */
const lookEvery = 1000;

export function createRecentSteps(clock: Clock): RecentSteps {
  /** In the order of their times. */
  const steps = new Map<string, Reached & { atMs: number }>();
  let untilLook = lookEvery;

  function recent(delivery: Pick<Delivery, 'tenant' | 'id'>): Reached | undefined {
    const known = steps.get(deliveryKey(delivery));
    return known !== undefined && known.atMs > clock.monotonicMs() - keptMs ? known : undefined;
  }

  function forgetOldest(): void {
    untilLook -= 1;
    if (untilLook > 0) return;
    untilLook = lookEvery;
    const oldestMs = clock.monotonicMs() - keptMs;
    for (const [key, { atMs }] of steps) {
      if (atMs > oldestMs && steps.size <= maxKept) return;
      steps.delete(key);
    }
  }

  return {
    remember(delivery, step, status) {
      const key = deliveryKey(delivery);
      const known = steps.get(key);
      if (known !== undefined) steps.delete(key);
      steps.set(key, { ...later(known, { step, status }), atMs: clock.monotonicMs() });
      forgetOldest();
    },
    has(delivery, step) {
      const known = recent(delivery);
      return known !== undefined && (known.step >= step || isFinal(known.status));
    },
    endOf(delivery) {
      const known = recent(delivery);
      return known !== undefined && isFinal(known.status) ? known : undefined;
    },
  };
}

/** Steps never go back, and an end is final, in whichever step it came. */
function later(known: Reached | undefined, now: Reached): Reached {
  if (known === undefined) return now;
  if (isFinal(known.status)) return known;
  return isFinal(now.status) || now.step > known.step ? now : known;
}
