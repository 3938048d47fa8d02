/**
 * Returns waiting deliveries to the lanes: every second or sooner, the due rows of the owned partitions.
 *
 * A row can be read until it is removed, so three things keep it from being sent twice: its delivery is in a lane; its step is remembered
 * as done; or it was sent and is removed (served-rows.ts) before the next read, or left out of it, because somebody has locked it. If Postgres
 * is away, rows and removals wait.
 *
 * After a crash a delivery can be sent from its record and also have a row, from its earlier owner. If it has ended here, the row is not
 * sent; the tables accept that end in any step, and remove the row.
 *
 * Ordered rows have a path of their own: release-ordered.ts.
 */
import { type Clock, createPart, inRounds, type Logger, nowMicros, type Part, toAppError } from '#lib/runtime';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.ts';
import type { Scheduler } from '../lanes/scheduler.ts';
import type { LaneCapacity, WaitingCapacity } from '../lanes/waiting-capacity.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import { isClosed } from '../model/endpoint.ts';
import type { OwnedPartitions } from '../model/owned-partitions.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import { rowJob } from '../model/row-job.ts';
import type { RowRef } from '../model/waiting-row.ts';
import type { EndCancelled } from './end-cancelled.ts';
import type { EndOverdue } from './end-overdue.ts';
import { createLaneStarts } from './lane-starts.ts';
import { createLaneWaits, type LaneWaits } from './lane-waits.ts';
import type { ReadContents } from './read-contents.ts';
import type { ServedRows } from './served-rows.ts';
import type { DueRow, WaitingTable } from './waiting-table.ts';

/**
 * @param remove called with each row whose delivery has ended
 * @param readyAt since when a row could have been sent, in microseconds
 * @throws AppError store_unavailable
 */
export type ReleaseOrdered = (
  due: readonly DueRow[],
  remove: (row: RowRef) => void,
  readyAt: LaneWaits['readyAt'],
) => Promise<void>;

interface Deps {
  table: Pick<WaitingTable, 'due' | 'count'>;
  servedRows: Pick<ServedRows, 'addRow' | 'count' | 'rows' | 'remove'>;
  readContents: ReadContents;
  releaseOrdered: ReleaseOrdered;
  owned: Pick<OwnedPartitions, 'numbers' | 'signalOf'>;
  directory: Pick<EndpointDirectory, 'get' | 'refresh' | 'recent' | 'paused'>;
  scheduler: Pick<Scheduler, 'offer' | 'held' | 'heldRows' | 'waitingCapacity'>;
  recentSteps: Pick<RecentSteps, 'has'>;
  endOverdue: EndOverdue;
  endCancelled: EndCancelled;
  metrics: DispatcherMetrics;
  clock: Clock;
  log: Logger;
}

const busyPauseMs = 100;
const idlePauseMs = 1_000;
const countEveryMs = 10_000;
const maxRows = 1_000;

export function createWaitingRows(deps: Deps): Part {
  const { table, servedRows, owned, directory, scheduler, recentSteps, clock, log } = deps;
  const laneWaits = createLaneWaits(() => nowMicros(clock));
  const laneStarts = createLaneStarts();
  let pauseMs = busyPauseMs;
  let countedAtMs = Number.NEGATIVE_INFINITY;

  async function findDue({ total, ...room }: WaitingCapacity): Promise<DueRow[]> {
    const limit = Math.min(maxRows, total);
    const partitions = owned.numbers();
    if (partitions.length === 0 || limit <= 0) return [];
    const served = servedRows.rows().map(({ tenant, deliveryId }) => ({ tenant, id: deliveryId }));
    const except = [...scheduler.heldRows().map(({ delivery }) => delivery), ...served];
    const perPartition = Math.max(room.perLane, Math.ceil(maxRows / partitions.length));
    const starts = laneStarts.all();
    const found = await table.due({ ...room, partitions, now: nowMicros(clock), perPartition, starts, except, limit });
    laneStarts.read(found);
    return found;
  }

  /** Their rows are not read: they wait for their endpoint, and not for us. */
  const pausedLanes = (): LaneCapacity[] =>
    [...directory.paused()].map(({ tenant, id }) => ({ tenant, endpointId: id, room: 0, early: false }));

  const isEarly = (row: DueRow): boolean => row.dueAt > nowMicros(clock);

  function isToBeEnded({ tenant, endpointId }: DueRow): boolean {
    const endpoint = directory.get(tenant, endpointId);
    return endpoint === undefined || isClosed(endpoint);
  }

  /**
   * A lane with less room than others waits for what somebody may change: a probe that is asked for, a pause. Rows may be newer than the directory:
   * their endpoint is new, or they are early because it was closed. Where there is neither, nothing is read.
   */
  async function readDirectory(found: readonly DueRow[], { lanes }: WaitingCapacity): Promise<void> {
    if (found.length > 0 || lanes.length > 0) await directory.recent();
    const isSurprising = (row: DueRow): boolean =>
      directory.get(row.tenant, row.endpointId) === undefined ||
      (isEarly(row) && row.order === undefined && !isToBeEnded(row));
    if (found.some(isSurprising)) await directory.refresh();
  }

  function mayBeSent(row: DueRow): boolean {
    const delivery = { tenant: row.tenant, id: row.deliveryId };
    if (recentSteps.has(delivery, row.step + 1) || scheduler.held(delivery) !== undefined) return false;
    return !isEarly(row) || isToBeEnded(row);
  }

  async function bringBack(rows: readonly DueRow[]): Promise<void> {
    const contents = await deps.readContents(rows);
    for (const row of rows) {
      const content = contents.of(row);
      const signal = owned.signalOf(row.partition);
      // Otherwise the partition was lost, the lane filled up, or the row was sent from its record. The row stays and is found again.
      if (content !== undefined && signal !== undefined && mayBeSent(row))
        scheduler.offer(
          rowJob(row, content, {
            endpoint: directory.get(row.tenant, row.endpointId),
            signal,
            readyAt: laneWaits.readyAt(row),
          }),
        );
    }
  }

  async function count(): Promise<void> {
    if (clock.monotonicMs() - countedAtMs < countEveryMs) return;
    deps.metrics.waiting(await table.count(owned.numbers()));
    countedAtMs = clock.monotonicMs();
  }

  async function attempt(failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn({ event: failure, err: toAppError(error) });
    }
  }

  async function poll(): Promise<void> {
    // One after the other, so that no row is ended while it is brought back; a failure of one does not stop the others.
    await attempt('waiting.not_ended', deps.endOverdue);
    await attempt('waiting.not_cancelled', deps.endCancelled);
    await attempt('waiting.not_counted', count);
    try {
      // First: between the removal and the reading nothing may end unnoticed.
      const room = await scheduler.waitingCapacity();
      await servedRows.remove();
      const found = await findDue(withoutRoomOf(servedRows.rows(), room));
      await readDirectory(found, room);
      const { ordered = [], unordered = [] } = Object.groupBy(found, ({ order }) => (order ? 'ordered' : 'unordered'));
      await bringBack(unordered.filter(mayBeSent));
      await deps.releaseOrdered(ordered, servedRows.addRow, laneWaits.readyAt);
      laneWaits.read({ ...room, lanes: [...room.lanes, ...pausedLanes()] }, found);
      pauseMs = found.length > 0 ? busyPauseMs : Math.min(idlePauseMs, pauseMs * 2);
    } catch (error) {
      log.warn({ event: 'waiting.not_read', err: toAppError(error) });
      pauseMs = idlePauseMs;
    }
  }
  const polling = inRounds(poll, { name: 'waiting rows', everyMs: () => pauseMs, clock, log });

  return createPart('waiting rows', polling.start, async () => {
    await polling.stop();
    // With Postgres away they stand, and the successor sends them again.
    await servedRows
      .remove()
      .catch((error: unknown) =>
        log.warn({ event: 'waiting.not_removed', rows: servedRows.count(), err: toAppError(error) }),
      );
  });
}

/** A tenant whose sent rows can't be removed gets no further ones in their places. */
function withoutRoomOf(served: readonly { tenant: string }[], room: WaitingCapacity): WaitingCapacity {
  if (served.length === 0) return room;
  const known = new Map(room.tenants.map((each) => [each.tenant, each]));
  for (const [tenant, { length }] of Map.groupBy(served, (row) => row.tenant)) {
    const share = known.get(tenant) ?? { tenant, room: room.perTenant, perLane: room.perLane };
    known.set(tenant, { ...share, room: Math.max(0, share.room - length) });
  }
  return { ...room, tenants: [...known.values()] };
}
