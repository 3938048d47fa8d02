/**
 * Shares the event loop between filters and other work, and between tenants: a turn of steps, then other work for as long, then the next
 * turn. All events that are being matched share these turns.
 */
export interface MatchTurns {
  /**
   * A promise to await before more is matched; undefined while the present share has room. Tenants wait in turns. Do not await undefined:
   * that gives away the share, and others who ask meanwhile are granted the same one.
   */
  wait(tenant: string): Promise<void> | undefined;
  /** Records work that was done, in steps or their equivalent. */
  spend(steps: number): void;
}

/** About 5 ms of one core. A filter that has begun continues for up to `maxFilterSteps`, at least as long again. */
export const stepsPerTurn = 50_000;
/**
 * A rest after a turn is about as long as the turn was, and counted from its steps. Without one, a request that takes six turns of the event
 * loop would wait for six turns of matching.
 */
const stepsPerRestMs = 6_000;

/** @param later calls back when other work has run and so many milliseconds have passed */
export function createMatchTurns(later: (work: () => void, restMs: number) => void = afterRest): MatchTurns {
  const waiting = new Map<string, (() => void)[]>();
  let spent = 0;
  let isDue = false;
  let isResting = false;

  function endTurnSoon(): void {
    if (isDue) return;
    isDue = true;
    later(endTurn, 0);
  }

  function endTurn(): void {
    const restMs = Math.floor(spent / stepsPerRestMs);
    spent = 0;
    if (restMs === 0) return beginTurn();
    isResting = true;
    later(beginTurn, restMs);
  }

  function beginTurn(): void {
    isResting = false;
    isDue = false;
    const [next] = waiting;
    if (next === undefined) return;
    const [tenant, [wake, ...others]] = next;
    waiting.delete(tenant);
    if (others.length > 0) waiting.set(tenant, others);
    // One alone: it may take the whole share.
    wake?.();
    endTurnSoon();
  }

  return {
    wait(tenant) {
      if (spent < stepsPerTurn && waiting.size === 0 && !isResting) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(tenant, [...(waiting.get(tenant) ?? []), resolve]);
      endTurnSoon();
      return promise;
    },
    spend(steps) {
      spent += steps;
      endTurnSoon();
    },
  };
}

function afterRest(work: () => void, restMs: number): void {
  if (restMs === 0) setImmediate(work);
  else setTimeout(work, restMs);
}
