import type { Clock } from '#lib/runtime';
import { within } from '../time-limit.ts';
import type { PartitionWorker } from './partition-worker.ts';

/** Waits until everything that was handed out is done. */
export interface IdleWait {
  /** Called when a worker has become idle. */
  check(): void;
  /** Resolves once all workers are idle, after so many milliseconds at the latest. */
  within(ms: number): Promise<void>;
}

export function createIdleWait(workers: () => readonly PartitionWorker[], clock: Clock): IdleWait {
  const waiters = new Set<() => void>();
  const allIdle = (): boolean => workers().every((worker) => worker.idle());
  return {
    check() {
      if (allIdle()) for (const resolve of waiters) resolve();
    },
    async within(ms) {
      if (allIdle()) return;
      const { promise: idle, resolve } = Promise.withResolvers<void>();
      waiters.add(resolve);
      await within(clock, ms, idle, () => undefined);
      waiters.delete(resolve);
    },
  };
}
