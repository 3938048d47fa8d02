import { sweepExpiredKeys } from '#lib/idempotency';
import type { Query } from '#lib/postgres';
import { type Clock, inRounds, type Logger, type Part } from '#lib/runtime';

const everyMs = 600_000;
/** Deleted within some milliseconds. */
const rowsAtOnce = 500;

/** Removes expired records. A late removal costs only room: expired records are ignored. */
export function createKeySweep({ postgres, clock, log }: { postgres: Query; clock: Clock; log: Logger }): Part {
  const sweep = async (signal: AbortSignal): Promise<void> => {
    for (let swept = rowsAtOnce; swept === rowsAtOnce && !signal.aborted;)
      swept = await sweepExpiredKeys(postgres, rowsAtOnce);
  };
  return inRounds(sweep, { name: 'sweep of idempotency keys', everyMs, clock, log });
}
