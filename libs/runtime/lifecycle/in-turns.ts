import { setImmediate as nextTurn } from 'node:timers/promises';

/** Gives a long list in pieces of `perTurn`, with other work of the event loop between two of them: what reads it holds nobody up. */
export async function* inTurns<T>(items: readonly T[], perTurn: number): AsyncGenerator<readonly T[], void> {
  for (let from = 0; from < items.length; from += perTurn) {
    if (from > 0) await nextTurn();
    yield items.slice(from, from + perTurn);
  }
}
