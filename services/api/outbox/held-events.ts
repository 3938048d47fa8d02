/**
 * Events that the process which inserted them publishes from memory, without reading them again:
 *
 *   room? ─► inserted with a claim ─► COMMIT ─► known: sent ──acknowledged──► the row is removed, with others
 *     └─ no: inserted without one       │         └──not acknowledged──► the claim is given back: the sweep publishes it
 *                                       └─► unknown: nothing is sent; the claim is given back, or ends
 *
 * The claim is as any other (outbox-table.ts): nobody else publishes the event before its end, and no send begins that might be acknowledged
 * later. If the process dies, the claim ends, and the sweep of another publishes the event under the same id.
 *
 * An event with an ordering key has a claim only if no earlier event of the key has a row, which its transaction has seen under the tenant's
 * clock; and a row is removed once its event is acknowledged. So an event is sent after all earlier ones of its key. Events that found an earlier
 * row follow in the order of their rows (follow-keys.ts).
 */
import { createStepBudget, type StepBudget } from '#lib/fan-out';
import type { Clock, CrashPoints } from '#lib/runtime';
import { type DoneRow, doneRowOf, type OutboxEvent, unclaimed } from './outbox-event.ts';
import type { ClaimedRow } from './outbox-table.ts';
import { type PublishOne, sendsEndAfterMs } from './publish-one.ts';
import type { RowBatches } from './row-batches.ts';

/** The place in memory of events that one transaction inserts. Ends with the first of its methods. */
interface Hold {
  /** Whether their rows are to be inserted with a claim. */
  isClaiming: boolean;
  /** Their COMMIT is known: those with a claim are published, the others are left to the sweep. */
  committed(inserted: readonly OutboxEvent[]): void;
  /** Nobody knows whether they are committed. */
  unknown(inserted: readonly OutboxEvent[]): void;
  /** They are not committed, and never will be. */
  none(): void;
}

export interface HeldEvents {
  /** @param bytes of their payloads. Call it before the transaction begins: claims are timed from here on. */
  hold(bytes: number): Hold;
  /** Resolves when nothing is being sent. */
  settled(): Promise<void>;
}

interface Deps {
  /** Undefined: not known yet. */
  publishOne(): PublishOne | undefined;
  removals: Pick<RowBatches<DoneRow>, 'add'>;
  releases: Pick<RowBatches<ClaimedRow>, 'add'>;
  /** Rows without a claim are committed. */
  onUnclaimed(rows: readonly OutboxEvent[]): void;
  crashPoints: CrashPoints;
  clock: Clock;
  /** Default 32 MiB. */
  maxBytes?: number;
}

/** Limit on payloads that are not acknowledged. The producer's own, for payloads with their deliveries, is twice this. */
const usualMaxBytes = 32 * 1024 * 1024;

export function createHeldEvents(deps: Deps): HeldEvents {
  const { publishOne, removals, releases, onUnclaimed, crashPoints, clock, maxBytes = usualMaxBytes } = deps;
  let heldBytes = 0;
  const sending = new Set<Promise<void>>();

  async function publish(event: OutboxEvent, budget: StepBudget, endMs: number): Promise<void> {
    const publishNow = clock.monotonicMs() < endMs ? publishOne() : undefined;
    const outcome = await publishNow?.(event, budget);
    heldBytes -= event.payload.length;
    // The next event of a key waits for the removal.
    if (outcome === 'published' || outcome === 'erased')
      removals.add(doneRowOf(event, outcome), event.ordering_key !== null);
    else if (outcome === undefined || outcome.retryable) releases.add(claimOf(event), false);
  }

  function publishAll(events: readonly OutboxEvent[], endMs: number): void {
    if (events.length === 0) return;
    crashPoints.reach('outbox.before-send');
    const budget = createStepBudget();
    for (const event of events) {
      const work = publish(event, budget, endMs);
      sending.add(work);
      void work.finally(() => sending.delete(work));
    }
  }

  return {
    hold(bytes) {
      const isClaiming = publishOne() !== undefined && heldBytes + bytes <= maxBytes;
      let held = isClaiming ? bytes : 0;
      heldBytes += held;
      const endMs = clock.monotonicMs() + sendsEndAfterMs;
      /** Gives up the room of events that are not published from here. */
      const free = (kept: readonly OutboxEvent[]): void => {
        heldBytes -= held - bytesOf(kept);
        held = 0;
      };
      return {
        isClaiming,
        committed(inserted) {
          const claimed = inserted.filter(isClaimed);
          free(claimed);
          publishAll(claimed, endMs);
          const left = inserted.filter((event) => !isClaimed(event));
          if (left.length > 0) onUnclaimed(left);
        },
        unknown(inserted) {
          free([]);
          for (const event of inserted.filter(isClaimed)) releases.add(claimOf(event), false);
        },
        none: () => free([]),
      };
    },
    async settled() {
      while (sending.size > 0) await Promise.all(sending);
    },
  };
}

const isClaimed = ({ claimed_until }: OutboxEvent): boolean => claimed_until !== unclaimed;
const bytesOf = (events: readonly OutboxEvent[]): number =>
  events.reduce((sum, { payload }) => sum + payload.length, 0);
const claimOf = ({ tenant, id, claimed_until }: OutboxEvent): ClaimedRow => ({ tenant, id, claimed_until });
