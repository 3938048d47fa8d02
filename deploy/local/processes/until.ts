import { setTimeout as delay } from 'node:timers/promises';
import { StackError } from '../failure.ts';

export interface UntilOptions {
  timeoutMs: number;
  everyMs?: number;
  /** Asked each time: what makes waiting pointless. */
  hopeless?: () => string | undefined;
}

/**
 * Asks until there is an answer other than undefined. A question that throws counts as unanswered.
 *
 * @throws StackError at the time limit, or when waiting has become pointless, naming what was waited for and the last error
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  options: UntilOptions,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    let trouble: unknown;
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null) return answer;
    } catch (error) {
      trouble = error;
    }
    const reason = options.hopeless?.();
    if (reason !== undefined) throw new StackError(`waited for ${what}: ${reason}`, { cause: trouble });
    if (performance.now() > deadline) {
      const last = trouble instanceof Error ? ` (${trouble.message})` : '';
      throw new StackError(`waited ${Math.round(options.timeoutMs / 1000)} s for ${what}${last}`, { cause: trouble });
    }
    await delay(options.everyMs ?? 50);
  }
}
