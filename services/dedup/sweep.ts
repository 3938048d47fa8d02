import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';

interface Deps {
  dropExpired(limit: number): Promise<number>;
  clock: Clock;
  log: Logger;
}

const everyMs = 60_000;
/** Rows of one statement: some milliseconds of locks. */
const rowsAtOnce = 1_000;

/** Removes keys that expired long ago, a minute apart, for as long as it runs. Any number of processes may do so at once. */
export function createSweep({ dropExpired, clock, log }: Deps): Part {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const sweep = async (): Promise<void> => {
    try {
      let dropped = rowsAtOnce;
      while (dropped === rowsAtOnce && !stopping.signal.aborted) dropped = await dropExpired(rowsAtOnce);
    } catch (error) {
      log.warn({ event: 'sweep.failed', err: toAppError(error) });
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sweep();
      await clock.sleep(everyMs, stopping.signal);
    }
  };

  return createPart(
    'sweep of expired keys',
    async () => {
      running = run();
    },
    async () => {
      stopping.abort();
      await running;
    },
  );
}
