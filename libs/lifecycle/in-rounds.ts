import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import { createPart, type Part } from './part.ts';

interface Options {
  name: string;
  everyMs: number;
  clock: Clock;
  log: Logger;
  /** Runs one more round at the stop, after everything that it waits for has stopped. */
  lastRound?: boolean;
}

/** A part that repeats its work; a failed round is only logged. */
export function inRounds(round: (signal: AbortSignal) => Promise<void>, options: Options): Part {
  const { name, everyMs, clock, log, lastRound = false } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> = Promise.resolve();

  async function attempt(): Promise<void> {
    try {
      await round(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ event: 'round.failed', part: name, err: toAppError(error) });
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await attempt();
      await clock.sleep(everyMs, signal);
    }
  }

  const part = createPart(
    name,
    async () => {
      running = run();
    },
    async () => {
      stopping.abort();
      await running;
      if (lastRound) await attempt();
    },
  );
  return { ...part, stop: () => (stopping.abort(), part.stop()) };
}
