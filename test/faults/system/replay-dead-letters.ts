import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../support/stack.ts';
import { createReplayClient } from '../replay/replay-client.ts';

const everyMs = 2_000;
const deadLettersAtOnce = 30;
const timeoutMs = 60_000;

/** An operator who replays dead letters of these endpoints until then, and tries again later if the API is away. */
export async function replayDeadLetters(
  stack: Stack,
  endpointIds: readonly string[],
  end: Promise<unknown>,
): Promise<void> {
  const replays = createReplayClient(stack, timeoutMs);
  const over = new AbortController();
  const stop = (): void => over.abort();
  end.then(stop, stop);
  while (!over.signal.aborted) {
    for (const endpoint_id of endpointIds)
      await replays.start({ endpoint_id, limit: deadLettersAtOnce }).catch(() => undefined);
    await delay(everyMs, undefined, { signal: over.signal }).catch(() => undefined);
  }
}
