import type { Clock } from '#lib/clock';
import type { Delivery } from '#lib/contract';
import { deliveryKey } from './job.ts';

/**
 * The steps that this process has lately made durable. The tables lag behind the topic: what they still show as due may be done, and so may
 * a delivery that its topic has twice. Forgetting one costs a repeated send, no more, so the memory is bounded.
 */
export interface RecentSteps {
  remember(delivery: Pick<Delivery, 'tenant' | 'id'>, step: number): void;
  /** True where the delivery has come to this step, or past it. */
  has(delivery: Pick<Delivery, 'tenant' | 'id'>, step: number): boolean;
}

const keptMs = 10 * 60_000;
const maxKept = 100_000;

export function createRecentSteps(clock: Clock): RecentSteps {
  /** In the order of their times. */
  const steps = new Map<string, { step: number; atMs: number }>();

  function forget(): void {
    const oldestMs = clock.monotonicMs() - keptMs;
    for (const [key, { atMs }] of steps) {
      if (atMs > oldestMs && steps.size <= maxKept) return;
      steps.delete(key);
    }
  }

  return {
    remember(delivery, step) {
      const key = deliveryKey(delivery);
      const known = steps.get(key)?.step ?? 0;
      steps.delete(key);
      steps.set(key, { step: Math.max(known, step), atMs: clock.monotonicMs() });
      forget();
    },
    has(delivery, step) {
      const known = steps.get(deliveryKey(delivery));
      return known !== undefined && known.step >= step && known.atMs > clock.monotonicMs() - keptMs;
    },
  };
}
