import { setTimeout as delay } from 'node:timers/promises';

interface Options {
  /** The time that the faults are expected to take. */
  expectedMs: number;
  /** From then on at full speed. */
  faultsOver: Promise<unknown>;
  atOnce: number;
}

/**
 * The initial pace would inflict all faults in this fraction of the expected time. It falls with the power of three halves of what is left:
 * a third is left at the expected end, a twentieth at five times that. A process that has to die at its next work must still get some.
 */
const haste = 0.7;

/** Does one piece of work after the other, spread over the time that the faults take; resolves when all is done. */
export async function spreadOut<T>(
  items: readonly T[],
  { expectedMs, faultsOver, atOnce }: Options,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const hurry = (): void => over.abort();
  faultsOver.then(hurry, hurry);
  const startMs = performance.now();
  const dueMs = (index: number): number =>
    startMs + 2 * haste * expectedMs * (Math.sqrt(items.length / (items.length - index)) - 1);
  const left = items.entries();
  const workOff = async (): Promise<void> => {
    for (const [index, item] of left) {
      const waitMs = dueMs(index) - performance.now();
      if (waitMs > 0) await delay(waitMs, undefined, { signal: over.signal }).catch(() => undefined);
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workOff));
}
