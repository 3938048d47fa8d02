/**
 * Records whose own data fails, off the main path: their neighbours continue, their offsets wait.
 *
 *   set aside ──released, pause──► tried again ──► settled
 *                   ▲                   │ fails on data, tries left
 *                   └───────────────────┤
 *                                       └ no tries left ──► dead letter ──► followers decided
 *
 * A failed try leaves no row: another record of the key can become the event meanwhile (this one is then its duplicate). An event that a
 * receiver may have keeps its row, through all tries and as a dead letter: the key has only one event. An outage waits and uses up no try.
 * When the partitions of all of them are lost, everything is left undone, and the next owners start again.
 */
import type { BuryRecord } from '#lib/dead-letters';
import type { DedupStore } from '#lib/dedup-store';
import { whenAllAborted } from '#lib/kafka';
import { type Clock, fullJitterMs, isAppError, type Logger, type Random, toAppError, type WaitOut } from '#lib/runtime';
import { traceIdOf } from '#lib/telemetry';
import type { Item } from './item.ts';
import type { DedupMetrics } from './metrics.ts';
import type { Culprit, Settle } from './settle.ts';

export interface SetAside {
  /** Resolves when there is room for more; the culprits go their own way. */
  take(culprits: readonly Culprit[]): Promise<void>;
  /** Resolves when none is left. */
  idle(): Promise<void>;
}

interface Deps {
  settle: Settle;
  store: Pick<DedupStore, 'release'>;
  buryRecord: BuryRecord;
  metrics: DedupMetrics;
  clock: Clock;
  random: Random;
  log: Logger;
  waitOut: WaitOut;
  /** Reports an unexpected error. */
  fail(error: Error): void;
}

/** The first, in its batch, included. */
const maxTries = 3;
const backoff = { baseMs: 1_000, capMs: 10_000 };
/** Between two tries to get a row that is locked. */
const lockedPauseMs = 1_000;
/** A flood of bad records slows its partitions down instead of filling the memory. */
const maxSetAside = 200;

export function createSetAside(deps: Deps): SetAside {
  const { settle, store, buryRecord, metrics, clock, random, log, waitOut } = deps;
  const running = new Set<Promise<void>>();

  const run = async (culprit: Culprit, signal: AbortSignal): Promise<void> => {
    const { item, followers } = culprit;
    const { candidate, webhook, record } = item;
    let open: Culprit | undefined = culprit;
    let mayBeDelivered = false;
    for (let tries = 1; open !== undefined; tries += 1) {
      mayBeDelivered ||= open.mayBeDelivered;
      if (!mayBeDelivered) await waitOut(() => store.release(candidate), signal);
      const facts = {
        origin: candidate.origin,
        tenant: webhook.tenant,
        sourceId: webhook.sourceId,
        receiptId: webhook.receiptId,
        traceId: traceIdOf(webhook.traceparent),
        tries,
        err: open.error,
      };
      if (tries === maxTries) {
        await buryRecord(record, { reason: 'data_invalid', attempts: tries, logged: facts }, signal);
        metrics.ended('failed');
        break;
      }
      log.warn({ event: 'record.set_aside', ...facts });
      await clock.sleep(backoff.baseMs + fullJitterMs(backoff, tries - 1, random), signal);
      [open] = await settleAll([item], signal);
    }
    for (const next of await settleAll(followers, signal)) await run(next, signal);
  };

  /** Waits for locked rows: it delays nobody here. */
  const settleAll = async (items: readonly Item[], signal: AbortSignal): Promise<Culprit[]> => {
    const { culprits, locked } = await settle(items, signal);
    for (let waiting = locked; waiting.length > 0;) {
      await clock.sleep(lockedPauseMs, signal);
      const settled = await settle(waiting, signal);
      culprits.push(...settled.culprits);
      waiting = settled.locked;
    }
    return culprits;
  };

  return {
    async take(culprits) {
      for (const culprit of culprits) {
        while (running.size >= maxSetAside) await Promise.race(running);
        // Its followers may be of other partitions, which are still ours when its own is lost.
        const { signal, forget } = whenAllAborted(
          [culprit.item, ...culprit.followers].map(({ record }) => record.signal),
        );
        const task: Promise<void> = run(culprit, signal)
          .catch((error: unknown) => {
            if (!isAppError(error, 'stopped')) deps.fail(toAppError(error));
          })
          .finally(() => {
            forget();
            running.delete(task);
          });
        running.add(task);
      }
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
