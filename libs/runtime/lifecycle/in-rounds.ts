import { toAppError } from '../app-error.ts';
import type { Logger } from '../logger.ts';
import { createPart, type Part } from './part.ts';
import { repeat, type RepeatOptions } from './repeat.ts';

interface Options extends RepeatOptions {
  name: string;
  log: Logger;
  /** Runs one more round at the stop, after everything that it waits for has stopped. */
  lastRound?: boolean;
}

/** A part that repeats its work; a failed round is only logged. */
export function inRounds(round: (signal: AbortSignal) => Promise<void>, options: Options): Part {
  const { name, log, lastRound = false } = options;
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

  const part = createPart(
    name,
    async () => {
      running = repeat(attempt, options, signal);
    },
    async () => {
      stopping.abort();
      await running;
      if (lastRound) await attempt();
    },
  );
  return { ...part, stop: () => (stopping.abort(), part.stop()) };
}
