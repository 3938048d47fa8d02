import type { ItemChoice, UnchosenReplay } from '#lib/replay-store';
import { type Logger, toAppError } from '#lib/runtime';
import { type ChoosingDeps, createChoosePage } from './choose-page.ts';

interface Deps extends ChoosingDeps {
  choice: ItemChoice;
  log: Logger;
}

/** Replays at once: each has a page of items in memory, and at most one payload. */
const atOnce = 2;
/** Pages of a replay before it is another's turn. A claim lasts longer. */
const pagesInTurn = 20;

/** A round: chooses items of the replays by filter that have few left, until none needs more. */
export function createChoosing({ choice, log, ...deps }: Deps) {
  async function choose(claimed: UnchosenReplay, signal: AbortSignal): Promise<void> {
    const facts = { tenant: claimed.tenant, replayId: claimed.id };
    const choosePage = createChoosePage(deps);
    let replay = claimed;
    try {
      for (let page = 0; page < pagesInTurn && !signal.aborted; page += 1) {
        const added = await choice.add(replay, await choosePage(replay));
        if (added?.wantsMore !== true) break;
        replay = added.replay;
      }
    } catch (error) {
      // Tried again when the claim has run out.
      return log.warn({ event: 'replay.not_chosen', ...facts, err: toAppError(error) });
    }
    await choice.release(replay);
  }

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const claimed = await choice.claim(atOnce);
      if (claimed.length === 0) return;
      await Promise.all(claimed.map((replay) => choose(replay, signal)));
    }
  };
}
