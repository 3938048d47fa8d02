import type { Clock } from '#lib/clock';

export interface RepeatOptions {
  /** The pause between two times; a function is asked after each. */
  everyMs: number | (() => number);
  /** Begins with the pause. */
  waitsFirst?: boolean;
  clock: Pick<Clock, 'sleep'>;
}

/** Does work again and again, with a pause between, until the signal aborts, which ends a pause. If the work throws, that is the end. */
export async function repeat(
  work: () => unknown,
  { everyMs, waitsFirst = false, clock }: RepeatOptions,
  signal: AbortSignal,
): Promise<void> {
  const pause = (): Promise<void> => clock.sleep(typeof everyMs === 'number' ? everyMs : everyMs(), signal);
  if (waitsFirst) await pause();
  while (!signal.aborted) {
    await work();
    await pause();
  }
}
