/**
 * Shares a process between the judging of payloads and all else that it does, and the judging between tenants: so many steps, then whatever
 * else has come up, then the next. However many events are judged at once, they have one such share between them.
 */
export interface JudgingTurns {
  /**
   * What has to be waited for before more is judged; undefined where the present share has room. Tenants wait in turns. Whoever awaits
   * undefined, too, gives away the share: others who ask meanwhile are granted the same one.
   */
  wait(tenant: string): Promise<void> | undefined;
  /** Work that was done: steps, or what takes as long. */
  spend(steps: number): void;
}

/** About 5 ms of one core. A filter that has begun goes on for `maxFilterSteps` at the most, which is as long again and longer. */
export const stepsPerTurn = 50_000;

/** @param nextTurn calls back once the process has done what else there is */
export function createJudgingTurns(nextTurn: (begin: () => void) => void = setImmediate): JudgingTurns {
  const waiting = new Map<string, (() => void)[]>();
  let spent = 0;
  let isDue = false;

  function askForTurn(): void {
    if (isDue) return;
    isDue = true;
    nextTurn(begin);
  }

  function begin(): void {
    isDue = false;
    spent = 0;
    const [next] = waiting;
    if (next === undefined) return;
    const [tenant, [wake, ...others]] = next;
    waiting.delete(tenant);
    if (others.length > 0) waiting.set(tenant, others);
    // One alone: it may take the whole share.
    wake?.();
    askForTurn();
  }

  return {
    wait(tenant) {
      if (spent < stepsPerTurn && waiting.size === 0) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(tenant, [...(waiting.get(tenant) ?? []), resolve]);
      askForTurn();
      return promise;
    },
    spend(steps) {
      spent += steps;
      askForTurn();
    },
  };
}
