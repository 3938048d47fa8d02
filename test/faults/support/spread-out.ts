import { setTimeout as delay } from 'node:timers/promises';

interface Options {
  /** What the faults are expected to take. */
  expectedMs: number;
  /** From then on at full speed. */
  faultsOver: Promise<unknown>;
  atOnce: number;
}

/** At the time that the faults are expected to end, a quarter is left: there must be something to send until the last of them. */
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
  // The pace falls with what is left, so that faults which take three times as long still meet some.
  const dueMs = (index: number): number =>
    startMs + haste * expectedMs * Math.log(items.length / (items.length - index));
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
