/**
 * Brings what waits back into the lanes: every second or sooner, the due rows of the partitions that this process owns.
 *
 * A row is taken for as long as it stands, so three things keep it from being sent twice: its delivery is in a lane; its step is remembered
 * as done; or it is removed, which follows every outcome with the next reading and comes before that reading. Postgres away: rows wait,
 * and so do the removals, of which there are no more than lanes have places for rows.
 *
 * After a crash a delivery can be sent from its record and have a row as well, of a step that its earlier owner wrote. Where it has ended
 * here, the row is not sent: the end is told again, in the step after the row's, and so ends for the tables too.
 */
import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { isClosed } from './endpoint.ts';
import type { EndpointDirectory } from './endpoint-directory.ts';
import type { EndOverdue } from './end-overdue.ts';
import { deliveryKey, type RowJob } from './job.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { OutcomeWriter } from './outcome-writer.ts';
import type { OwnedPartitions } from './owned-partitions.ts';
import type { RecentSteps } from './recent-steps.ts';
import { rowJob, withoutContent } from './row-job.ts';
import type { Scheduler } from './scheduler.ts';
import type { DueRow, WaitingTable } from './waiting-table.ts';

export interface WaitingRows extends Part {
  /** The outcome of a delivery that was read from here is durable. */
  remove(job: RowJob): void;
}

interface Deps {
  table: WaitingTable;
  owned: Pick<OwnedPartitions, 'numbers' | 'signalOf'>;
  directory: Pick<EndpointDirectory, 'get' | 'refresh'>;
  scheduler: Pick<Scheduler, 'offer' | 'held' | 'heldRows' | 'rowRoom'>;
  recentSteps: Pick<RecentSteps, 'has' | 'endOf'>;
  outcomes: Pick<OutcomeWriter, 'endedBefore'>;
  endOverdue: EndOverdue;
  metrics: DispatcherMetrics;
  clock: Clock;
  log: Logger;
}

const busyPauseMs = 100;
const idlePauseMs = 1_000;
const countEveryMs = 10_000;
const maxRows = 500;
/** Payloads that one reading brings into memory; one alone may be larger. */
const maxReadBytes = 16 * 1024 * 1024;

export function createWaitingRows(deps: Deps): WaitingRows {
  const { table, owned, directory, scheduler, recentSteps, clock, log } = deps;
  const stopping = new AbortController();
  const toRemove = new Map<string, { tenant: string; deliveryId: string; step: number }>();
  let polling: Promise<void> = Promise.resolve();
  let countedAtMs = Number.NEGATIVE_INFINITY;

  async function removeDone(): Promise<void> {
    const rows = [...toRemove];
    if (rows.length === 0) return;
    await table.remove(rows.map(([, row]) => row));
    // One that was done again meanwhile, at a later step, stays to be removed.
    for (const [key, row] of rows) if (toRemove.get(key) === row) toRemove.delete(key);
  }

  async function findDue(): Promise<DueRow[]> {
    const { perLane, lanes, total } = scheduler.rowRoom();
    const limit = Math.min(maxRows, total);
    const partitions = owned.numbers();
    if (partitions.length === 0 || limit <= 0) return [];
    const except = scheduler.heldRows().map(({ delivery }) => delivery);
    return table.due({ partitions, now: nowMicros(), perLane, lanes, except, limit });
  }

  /** What may be sent of what was found, once the directory is as new as the table. */
  async function choose(found: readonly DueRow[]): Promise<DueRow[]> {
    const isEarly = (row: DueRow): boolean => row.dueAt > nowMicros();
    const endpointOf = (row: DueRow) => directory.get(row.tenant, row.endpointId);
    const isSurprising = (row: DueRow): boolean => {
      const endpoint = endpointOf(row);
      // Early because its endpoint was closed, of which the directory has not heard.
      return endpoint === undefined || (isEarly(row) && !isClosed(endpoint));
    };
    if (found.some(isSurprising)) await directory.refresh();

    let bytes = 0;
    const chosen: DueRow[] = [];
    for (const row of found) {
      const delivery = { tenant: row.tenant, id: row.deliveryId };
      const endpoint = endpointOf(row);
      if (recentSteps.has(delivery, row.step + 1) || scheduler.held(delivery) !== undefined) continue;
      if (isEarly(row) && endpoint !== undefined && !isClosed(endpoint)) continue;
      bytes += row.payloadBytes;
      if (chosen.length > 0 && bytes > maxReadBytes) break;
      chosen.push(row);
    }
    return chosen;
  }

  async function tellEndsAgain(rows: readonly DueRow[]): Promise<void> {
    for (const row of rows) {
      const end = recentSteps.endOf({ tenant: row.tenant, id: row.deliveryId });
      const signal = owned.signalOf(row.partition);
      // A row of a lower step is that of the end's own way here, and about to be removed.
      if (end === undefined || signal === undefined || row.step < end.step) continue;
      await deps.outcomes.endedBefore(rowJob(row, withoutContent(row), signal), end.status);
    }
  }

  async function bringBack(rows: readonly DueRow[]): Promise<void> {
    if (rows.length === 0) return;
    const events = new Map(rows.map(({ tenant, eventId }) => [`${tenant}/${eventId}`, { tenant, eventId }]));
    const contents = new Map(
      (await table.contents([...events.values()])).map((content) => [`${content.tenant}/${content.eventId}`, content]),
    );
    for (const row of rows) {
      const content = contents.get(`${row.tenant}/${row.eventId}`);
      const signal = owned.signalOf(row.partition);
      // Its partition was lost while it was read, or its endpoint's lane filled up: it stands, and is found again.
      if (content !== undefined && signal !== undefined) scheduler.offer(rowJob(row, content, signal));
    }
  }

  async function count(): Promise<void> {
    if (clock.monotonicMs() - countedAtMs < countEveryMs) return;
    deps.metrics.waiting(await table.count(owned.numbers()));
    countedAtMs = clock.monotonicMs();
  }

  const nowMicros = (): number => Math.floor(clock.nowMs() * 1_000);

  async function poll(): Promise<void> {
    let pauseMs = busyPauseMs;
    while (!stopping.signal.aborted) {
      try {
        await deps.endOverdue();
        await removeDone();
        const found = await findDue();
        await tellEndsAgain(found);
        await bringBack(await choose(found));
        await count();
        pauseMs = found.length > 0 ? busyPauseMs : Math.min(idlePauseMs, pauseMs * 2);
      } catch (error) {
        log.warn({ event: 'waiting.not_read', err: toAppError(error) });
        pauseMs = idlePauseMs;
      }
      await clock.sleep(pauseMs, stopping.signal);
    }
  }

  return {
    ...createPart(
      'waiting rows',
      async () => {
        polling = poll();
      },
      async () => {
        stopping.abort();
        await polling;
        // With Postgres away they stand, and their successor sends them again.
        await removeDone().catch((error: unknown) =>
          log.warn({ event: 'waiting.not_removed', rows: toRemove.size, err: toAppError(error) }),
        );
      },
    ),
    remove: ({ delivery, step }) =>
      void toRemove.set(deliveryKey(delivery), { tenant: delivery.tenant, deliveryId: delivery.id, step: step - 1 }),
  };
}
