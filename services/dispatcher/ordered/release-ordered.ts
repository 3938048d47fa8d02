/**
 * Returns ordered rows to their lanes: the first row of a key, which is due, and as many later ones as could be sent one after the other.
 * The lane keeps their order.
 *
 * Deliveries of the key may have become rows since the table was read, before the rows found. So the rows are read again when everything
 * else is ready, and used before anything else can happen; a key that is being written to is left alone.
 */
import type { Clock } from '#lib/runtime';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.ts';
import { type EndpointHealth, isTrying } from '../endpoints/endpoint-health.ts';
import type { Scheduler } from '../lanes/scheduler.ts';
import { isClosed } from '../model/endpoint.ts';
import { laneKey } from '../model/job.ts';
import type { OwnedPartitions } from '../model/owned-partitions.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import { rowJob } from '../model/row-job.ts';
import type { ReadContents } from '../waiting/read-contents.ts';
import type { ReleaseOrdered } from '../waiting/waiting-rows.ts';
import type { DueRow } from '../waiting/waiting-table.ts';
import type { OrderedRows } from './ordered-rows.ts';
import type { AskedKey, QueuedRow } from './ordered-table.ts';

interface Deps {
  orderedRows: Pick<OrderedRows, 'linesOf' | 'isBeingWritten'>;
  readContents: ReadContents;
  owned: Pick<OwnedPartitions, 'signalOf' | 'hasTaken'>;
  directory: Pick<EndpointDirectory, 'get'>;
  health: Pick<EndpointHealth, 'standingOf'>;
  scheduler: Pick<Scheduler, 'offer' | 'held'>;
  recentSteps: Pick<RecentSteps, 'has' | 'endOf'>;
  clock: Clock;
}

/** `send` the row; continue with the next if it is `in hand` or `ended`; or stop: `not now`. */
type Verdict = 'send' | 'in hand' | 'ended' | 'not now';

/** Rows read ahead for a lane, so that each poll of the table fills it; its keys share them. */
const maxPerLane = 100;

export function createReleaseOrdered(deps: Deps): ReleaseOrdered {
  const { orderedRows, scheduler, recentSteps, owned } = deps;

  /** The first row of a key is used as a probe before it is due, unless the endpoint asked to wait: the whole key waits for it. */
  function isEarly({ dueAt, notBefore, tenant, endpointId }: QueuedRow): boolean {
    const now = deps.clock.nowMs() * 1_000;
    if (!Number.isFinite(dueAt) || dueAt <= now) return false;
    const endpoint = deps.directory.get(tenant, endpointId);
    if (endpoint === undefined || isClosed(endpoint)) return false;
    return !isTrying(deps.health.standingOf({ tenant, endpointId })) || (notBefore ?? 0) > now;
  }

  function decide(row: QueuedRow): Verdict {
    const delivery = { tenant: row.tenant, id: row.deliveryId };
    if (row.ended || recentSteps.endOf(delivery) !== undefined) return 'ended';
    if (scheduler.held(delivery) !== undefined) return 'in hand';
    // Its outcome is written as a later step.
    if (recentSteps.has(delivery, row.step + 1)) return 'not now';
    return isEarly(row) || !owned.hasTaken(row.partition, row.order.sequence) ? 'not now' : 'send';
  }

  return async (due, remove, readyAt) => {
    const keys = keysOf(due);
    if (keys.length === 0) return;
    const expected = await orderedRows.linesOf(keys);
    const contents = await deps.readContents(expected.flat().filter((row) => decide(row) === 'send'));
    const lines = await orderedRows.linesOf(keys);
    for (const [at, line] of lines.entries()) {
      const key = keys[at];
      if (key === undefined || orderedRows.isBeingWritten(key)) continue;
      for (const row of line) {
        const verdict = decide(row);
        if (verdict === 'ended') remove(row);
        if (verdict === 'not now' || (verdict === 'send' && !offer(row))) break;
      }
    }

    /** False if it has just been written, its partition was lost, or its lane filled up: the row stays. */
    function offer(row: QueuedRow): boolean {
      const content = contents.of(row);
      const signal = owned.signalOf(row.partition);
      if (content === undefined || signal === undefined) return false;
      const endpoint = deps.directory.get(row.tenant, row.endpointId);
      return scheduler.offer(rowJob(row, content, { endpoint, signal, readyAt: readyAt(row) })) === 'queued';
    }
  };
}

function keysOf(due: readonly DueRow[]): AskedKey[] {
  const lanes = Map.groupBy(due, laneKey);
  return [...lanes.values()].flatMap((ofLane) => {
    const firsts = new Map<string, DueRow>();
    for (const row of ofLane) if (row.order !== undefined) firsts.set(row.order.key, row);
    const rows = Math.ceil(maxPerLane / Math.max(1, firsts.size));
    return [...firsts].map(([key, { tenant, endpointId }]) => ({ tenant, endpointId, key, rows }));
  });
}
