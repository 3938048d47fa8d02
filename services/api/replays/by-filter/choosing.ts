import type { MatchTurns } from '#lib/event-filter';
import type { createPools } from '#lib/postgres';
import { createItemChoice, type ItemChoice, type UnchosenReplay } from '#lib/replay-store';
import { type Clock, inRounds, type Logger, type Part, toAppError } from '#lib/runtime';
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

interface OpenDeps extends Pick<ChoosingDeps, 'unjudgedFilters'> {
  openPool: ReturnType<typeof createPools>;
  matchTurns: MatchTurns;
  clock: Clock;
  log: Logger;
}

/** A separate pool: requests don't wait for what is chosen. */
const maxConnections = 2;
/** A window of rows takes part of a second; one that takes so long is tried again. */
const statementTimeoutMs = 10_000;
/** For replays of other processes, and those whose items are used up. */
const everyMs = 500;

/** Chooses items of replays by filter as long as the process runs. */
export function openChoosing({ openPool, matchTurns, unjudgedFilters, clock, log }: OpenDeps): {
  wake(): void;
  parts: Part[];
} {
  const postgres = openPool({ use: 'choosing', maxConnections, statementTimeoutMs });
  const choice = createItemChoice(postgres);
  const choose = createChoosing({ choice, store: postgres, turns: matchTurns, unjudgedFilters, log });
  let waking = new AbortController();
  const orWoken = (signal: AbortSignal | undefined): AbortSignal => {
    waking = new AbortController();
    return AbortSignal.any(signal === undefined ? [waking.signal] : [signal, waking.signal]);
  };
  const rounds = inRounds(choose, {
    name: 'choosing of replays',
    everyMs,
    log,
    clock: {
      monotonicMs: clock.monotonicMs,
      sleep: (ms, signal) => clock.sleep(ms, orWoken(signal)),
      sleepUntilNext: (ms, signal) => clock.sleepUntilNext(ms, orWoken(signal)),
    },
  });
  return { wake: () => waking.abort(), parts: [postgres, rounds] };
}
