/**
 * Lets the owner of a source see why its webhooks are refused. It must never cost a webhook: the request path only puts a rejection into
 * a bounded memory; what is written is written in the background, a few for each source and second; what has no room, or meets a
 * Postgres that stays away, is dropped and counted, the oldest first.
 */
import { type Clock, inRounds, isAppError, type Logger, type Part, toAppError } from '#lib/runtime';
import type { IngressMetrics } from '../metrics.ts';
import { createPendingRejections } from './pending-rejections.ts';
import { createRejectionCounts } from './rejection-counts.ts';
import { type Rejection, toRejectionRow } from './rejection-row.ts';
import type { RejectionTable } from './rejection-table.ts';

const intervalMs = 1_000;
/** Rejections can wait: a Postgres that comes back has more urgent work. */
const awayIntervalMs = 5_000;
/** Rejections of one write: with all that may be kept of each, 6 MiB. */
const maxBatch = 200;
const keptPerSource = 100;
const sweepIntervalMs = 600_000;

export interface RejectionLog extends Part {
  /** Counts it, and keeps it in memory for now. Never throws. */
  record(rejection: Rejection): void;
}

interface Options {
  table: RejectionTable;
  retentionDays: number;
  clock: Clock;
  log: Logger;
  metrics: Pick<IngressMetrics, 'rejectionDropped'>;
}

export function createRejectionLog({ table, retentionDays, clock, log, metrics }: Options): RejectionLog {
  const pending = createPendingRejections(metrics.rejectionDropped);
  const counts = createRejectionCounts();
  let everyMs = intervalMs;
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  const insert = async (rejections: readonly Rejection[]): Promise<void> => {
    const rows = rejections.map(toRejectionRow);
    try {
      await table.insert(rows);
    } catch (error) {
      if (!isAppError(error, 'data_invalid')) throw error;
      // One row can't be written; it must not fail the others.
      for (const row of rows)
        await table.insert([row]).catch((failure: unknown) => {
          if (!isAppError(failure, 'data_invalid')) throw failure;
          metrics.rejectionDropped();
          log.error({ event: 'rejection.not_writable', sourceId: row.source_id, err: failure });
        });
    }
    await table.trim(rows, keptPerSource);
  };
  const write = async (): Promise<void> => {
    const batch = pending.take(maxBatch);
    if (batch.length === 0) return;
    try {
      await insert(batch);
    } catch (error) {
      pending.putBack(batch);
      throw error;
    }
  };
  const writeCounts = async (): Promise<void> => {
    const rows = counts.take();
    try {
      await table.count(rows);
    } catch (error) {
      counts.putBack(rows);
      throw error;
    }
  };
  const sweep = async (signal: AbortSignal): Promise<void> => {
    if (clock.monotonicMs() - sweptAtMs < sweepIntervalMs) return;
    while ((await table.sweep(retentionDays)) && !signal.aborted);
    sweptAtMs = clock.monotonicMs();
  };
  const round = async (signal: AbortSignal): Promise<void> => {
    try {
      await writeCounts();
      await write();
      if (!signal.aborted) await sweep(signal);
      everyMs = intervalMs;
    } catch (error) {
      everyMs = awayIntervalMs;
      log.warn({ event: 'rejections.not_written', err: toAppError(error) });
    }
  };

  const timing = { everyMs: () => everyMs, waitsFirst: true, lastRound: true, clock };
  return {
    ...inRounds(round, { name: 'rejections', ...timing, log }),
    record(rejection) {
      counts.add(rejection);
      pending.add(rejection);
    },
  };
}
