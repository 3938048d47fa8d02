import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../support/stack.ts';
import { createReplayClient } from '../replay/replay-client.ts';

export interface Operator {
  /** Replays some dead letters every few seconds until then: the dispatchers always have a replay in hand. */
  replayUntil(end: Promise<unknown>): Promise<void>;
  /** Replays what is dead; resolves with how many dead letters when all are sent. */
  replayAll(): Promise<number>;
}

const everyMs = 2_000;
const deadLettersAtOnce = 30;
const timeoutMs = 300_000;

/** An operator who replays the dead letters of these endpoints. */
export function createOperator(stack: Stack, endpointIds: readonly string[]): Operator {
  const replays = createReplayClient(stack, timeoutMs);
  return {
    async replayUntil(end) {
      const over = new AbortController();
      const stop = (): void => over.abort();
      end.then(stop, stop);
      while (!over.signal.aborted) {
        for (const endpoint_id of endpointIds) await replays.start({ endpoint_id, limit: deadLettersAtOnce });
        await delay(everyMs, undefined, { signal: over.signal }).catch(() => undefined);
      }
    },
    async replayAll() {
      const started = await Promise.all(endpointIds.map((endpoint_id) => replays.start({ endpoint_id })));
      const ended = await Promise.all(started.map(({ id }) => replays.ended(id)));
      return ended.reduce((sum, { matched }) => sum + matched, 0);
    },
  };
}
