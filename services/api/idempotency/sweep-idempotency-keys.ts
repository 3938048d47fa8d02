import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import { sweepExpiredKeys } from '#lib/idempotency';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import type { Query } from '#lib/postgres';

const roundEveryMs = 600_000;
/** Deleted within some milliseconds. */
const rowsAtOnce = 500;

/** Removes expired records. A late removal costs only room: expired records are ignored. */
export function createKeySweep({ postgres, clock, log }: { postgres: Query; clock: Clock; log: Logger }): Part {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> = Promise.resolve();

  const sweep = async (): Promise<void> => {
    for (let swept = rowsAtOnce; swept === rowsAtOnce && !signal.aborted;)
      swept = await sweepExpiredKeys(postgres, rowsAtOnce);
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await sweep().catch((error: unknown) =>
        log.warn({ event: 'idempotency_keys.not_swept', err: toAppError(error) }),
      );
      await clock.sleep(roundEveryMs, signal);
    }
  };
  return createPart(
    'sweep of idempotency keys',
    async () => {
      running = run();
    },
    async () => {
      stopping.abort();
      await running;
    },
  );
}
