import { setTimeout as delay } from 'node:timers/promises';
import type { KafkaOffsets } from '../../support/kafka-offsets.ts';
import type { Tables } from '../delivering/tables.ts';
import { areReadToTheEnd } from '../support/are-read-to-the-end.ts';

interface Options {
  tables: Tables;
  offsets: KafkaOffsets;
  topicPrefix: string;
  sourceIds: readonly string[];
  endpointIds: readonly string[];
  /** Webhooks and publishes that were taken: each is to be an event. */
  taken(): number;
  /** Epoch milliseconds until which something may wait by a due time that a clock that was ahead has set. */
  dueUntilMs?: number;
}

/** Longer than the wait of a failing endpoint for its next probe, and of a dispatcher for its next check for overdue deliveries. */
const stalledMs = 150_000;

/** Whether all that was taken has become events, all of them have ended, nothing waits, and nothing that was written is still to be read. */
async function hasDrained(options: Options): Promise<boolean> {
  const { tables, offsets, topicPrefix, sourceIds, endpointIds, taken } = options;
  const { ended, open } = await tables.events(sourceIds);
  if (open > 0 || ended < taken() || (await tables.waiting(endpointIds)) > 0) return false;
  return areReadToTheEnd(offsets, topicPrefix, [
    ['dedup', 'webhooks.received'],
    ['fan-out', 'events'],
    ['dispatcher', 'deliveries'],
    ['projector', 'events'],
    ['projector', 'duplicates'],
    ['projector', 'delivery.attempts'],
    ['projector', 'dead-letters'],
  ]);
}

/** False where nothing has moved for so long that nothing will: what has not ended then is shown by its path. */
export async function untilDrained(options: Options): Promise<boolean> {
  const { dueUntilMs = 0 } = options;
  let seen = '';
  let movedAtMs = performance.now();
  while (!(await hasDrained(options).catch(() => false))) {
    if (Math.min(performance.now() - movedAtMs, Date.now() - dueUntilMs) >= stalledMs) return false;
    // A machine that is too busy for an answer shows no move.
    const now = await seenIn(options).catch(() => seen);
    if (now !== seen) movedAtMs = performance.now();
    seen = now;
    await delay(1_000);
  }
  return true;
}

const seenIn = async ({ tables, sourceIds, endpointIds }: Options): Promise<string> =>
  JSON.stringify([await tables.events(sourceIds), await tables.waiting(endpointIds)]);
