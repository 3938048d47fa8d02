import { createStepBudget, type StepBudget } from '#lib/fan-out';
import { type Clock, type CrashPoints, isAppError, toAppError } from '#lib/runtime';
import { type DoneRow, doneRowOf } from './outbox-event.ts';
import type { OutboxTable, StoredEvent } from './outbox-table.ts';
import { type PublishOne, type PublishOutcome, sendsEndAfterMs } from './publish-one.ts';

interface Deps {
  table: Pick<OutboxTable, 'findNext' | 'remove' | 'release'>;
  crashPoints: CrashPoints;
  clock: Clock;
}

/**
 * Publishes claimed events, each with those that follow it in its ordering key, and removes their rows.
 *
 * @param beganAtMs before they were claimed
 * @returns whether nothing says that they can't be published
 */
export type WorkOff = (claimed: readonly StoredEvent[], beganAtMs: number, publishOne: PublishOne) => Promise<boolean>;

/** Time for the events of one ordering key, published one after the other; the others of the same call wait for them. */
const runMs = 250;

export function createWorkOff({ table, crashPoints, clock }: Deps): WorkOff {
  /** @returns the outcome of the last */
  async function publishRun(
    first: StoredEvent,
    done: DoneRow[],
    { endMs, budget, publishOne }: { endMs: number; budget: StepBudget; publishOne: PublishOne },
  ): Promise<PublishOutcome> {
    let event = first;
    for (;;) {
      const outcome = await publishOne(event, budget);
      if (outcome !== 'published' && outcome !== 'erased') return outcome;
      done.push(doneRowOf(event, outcome));
      const goesOn = event.ordering_key !== null && clock.monotonicMs() < endMs;
      const next = goesOn ? await table.findNext(event).catch(toAppError) : undefined;
      if (next === undefined) return outcome;
      if (isAppError(next)) return next;
      event = next;
    }
  }

  return async (claimed, beganAtMs, publishOne) => {
    if (claimed.length === 0) return true;
    crashPoints.reach('outbox.after-claim');
    const done: DoneRow[] = [];
    const endMs = Math.min(clock.monotonicMs() + runMs, beganAtMs + sendsEndAfterMs);
    const run = { endMs, budget: createStepBudget(), publishOne };
    const outcomes = await Promise.all(claimed.map((event) => publishRun(event, done, run)));
    crashPoints.reach('outbox.after-publish');

    if (done.length > 0) await table.remove(done);
    const doneIds = new Set(done.map(({ id }) => id));
    const postponed = claimed.filter(({ id }, at) => isRetryable(outcomes[at]) && !doneIds.has(id));
    if (postponed.length > 0) await table.release(postponed);
    return !outcomes.some((outcome) => typeof outcome === 'object');
  };
}

const isRetryable = (outcome: PublishOutcome | undefined): boolean => typeof outcome === 'object' && outcome.retryable;
