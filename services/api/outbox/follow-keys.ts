/**
 * Goes on with ordering keys whose first row has gone: events that found an earlier row of their key were inserted without a claim. Two look for
 * them, so that none waits for the sweep: whoever has removed a row of the key, behind the removal; and whoever has inserted the event, behind
 * its COMMIT. The later of the two finds it, or finds it claimed.
 */
import { type Clock, type Logger, toAppError } from '#lib/runtime';
import type { KeyCursor, OutboxTable } from './outbox-table.ts';
import type { PublishOne } from './publish-one.ts';
import type { WorkOff } from './work-off.ts';

interface FollowKeys {
  look(keys: readonly KeyCursor[]): void;
  /** Resolves when no key is worked on; those that wait are left to a sweep. */
  close(): Promise<void>;
}

interface Deps {
  table: Pick<OutboxTable, 'claimKeys'>;
  workOff: WorkOff;
  publishOne(): PublishOne | undefined;
  /** Takes over: there are more keys than are looked for here. */
  wakeSweep(): void;
  clock: Clock;
  log: Logger;
}

/** Keys of one call, and calls at a time: the largest payloads would be 64 MiB. */
const keysAtOnce = 16;
const maxCalls = 4;
const maxWaiting = 1_000;

export function createFollowKeys({ table, workOff, publishOne, wakeSweep, clock, log }: Deps): FollowKeys {
  const waiting = new Map<string, KeyCursor>();
  const calls = new Set<Promise<void>>();
  let isClosed = false;

  function look(keys: readonly KeyCursor[]): void {
    for (const key of keys) waiting.set(`${key.tenant}/${key.ordering_key}`, key);
    if (waiting.size > maxWaiting) {
      waiting.clear();
      wakeSweep();
    }
    while (!isClosed && waiting.size > 0 && calls.size < maxCalls) begin();
  }

  function begin(): void {
    const batch = waiting.entries().take(keysAtOnce).toArray();
    for (const [name] of batch) waiting.delete(name);
    const call = work(batch.map(([, key]) => key));
    calls.add(call);
    void call.finally(() => {
      calls.delete(call);
      look([]);
    });
  }

  async function work(keys: readonly KeyCursor[]): Promise<void> {
    const publishNow = publishOne();
    if (publishNow === undefined) return wakeSweep();
    try {
      const beganAtMs = clock.monotonicMs();
      const claimed = await table.claimKeys(keys);
      const isWell = await workOff(claimed, beganAtMs, publishNow);
      // Once more, since their rows have been removed. After a failure the sweep tries again, after a pause.
      if (isWell) look(claimed.map(({ tenant, ordering_key }) => ({ tenant, ordering_key: ordering_key ?? '' })));
    } catch (error) {
      log.warn({ event: 'outbox.round_failed', err: toAppError(error) });
    }
  }

  return {
    look,
    async close() {
      isClosed = true;
      waiting.clear();
      await Promise.all(calls);
    },
  };
}
