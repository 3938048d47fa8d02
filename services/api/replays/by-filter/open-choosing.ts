import type { MatchTurns, UnjudgedFilters } from '#lib/event-filter';
import type { createPools } from '#lib/postgres';
import { createItemChoice } from '#lib/replay-store';
import { type Clock, inRounds, type Logger, type Part } from '#lib/runtime';
import { createChoosing } from './choosing.ts';

interface Deps {
  openPool: ReturnType<typeof createPools>;
  matchTurns: MatchTurns;
  unjudgedFilters: Pick<UnjudgedFilters, 'note'>;
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
export function openChoosing({ openPool, matchTurns, unjudgedFilters, clock, log }: Deps): {
  wake(): void;
  parts: Part[];
} {
  const postgres = openPool({ use: 'choosing', maxConnections, statementTimeoutMs });
  const choose = createChoosing({
    choice: createItemChoice(postgres),
    store: postgres,
    turns: matchTurns,
    unjudgedFilters,
    log,
  });
  let waking = new AbortController();
  const orWoken = (signal: AbortSignal | undefined): AbortSignal => {
    waking = new AbortController();
    return AbortSignal.any(signal === undefined ? [waking.signal] : [signal, waking.signal]);
  };
  const name = 'choosing of replays';
  const rounds = inRounds(choose, {
    name,
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
