import { type Clock, inRounds, type Logger, type Part, toAppError } from '#lib/runtime';

interface Deps {
  dropExpired(limit: number): Promise<number>;
  clock: Clock;
  log: Logger;
}

const everyMs = 60_000;
/** Rows of one statement: some milliseconds of locks. */
const rowsAtOnce = 1_000;

/** Removes keys that expired long ago, once a minute. Any number of processes may run it. */
export function createSweep({ dropExpired, clock, log }: Deps): Part {
  const sweep = async (signal: AbortSignal): Promise<void> => {
    try {
      let dropped = rowsAtOnce;
      while (dropped === rowsAtOnce && !signal.aborted) dropped = await dropExpired(rowsAtOnce);
    } catch (error) {
      log.warn({ event: 'sweep.failed', err: toAppError(error) });
    }
  };
  return inRounds(sweep, { name: 'sweep of expired keys', everyMs, clock, log });
}
