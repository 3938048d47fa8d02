/**
 * Ends waiting deliveries that can't come back:
 *
 * - the endpoint's breaker is open until the end of the delivery's window, which moves by the pauses of the endpoint, or the endpoint is paused
 *   until nothing moves it any more: `retries_exhausted`;
 * - its event, or the payload, never reached the tables, because the projector could not write it (it has its own dead letter) or it was
 *   removed: `event_unavailable`. The dead letter has no payload. Consumer lag of the projector is no reason: the row must have been seen for
 *   an hour in which the tables were written to.
 *
 * Everything else is sent when it is due, the last time at the end of its window, and then ended by decide.ts.
 */
import { createdByDeadline, type DeadLetterReason, endpointDefaults } from '#lib/contract';
import { type Clock, nowMicros } from '#lib/runtime';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.ts';
import type { EndpointHealth } from '../endpoints/endpoint-health.ts';
import type { Scheduler } from '../lanes/scheduler.ts';
import type { EventContent } from '../model/event-content.ts';
import { deliveryKey, type RowJob } from '../model/job.ts';
import type { OwnedPartitions } from '../model/owned-partitions.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import { rowJob, withoutContent } from '../model/row-job.ts';
import type { WaitingRow } from '../model/waiting-row.ts';
import type { OutcomeWriter } from '../send/outcome-writer.ts';
import type { OverdueTable } from './overdue-table.ts';
import type { ReadContents } from './read-contents.ts';

/** @throws AppError store_unavailable; stopped */
export type EndOverdue = () => Promise<void>;

interface Deps {
  table: Pick<OverdueTable, 'ofLanes' | 'withoutEvent' | 'writtenAt'>;
  readContents: ReadContents;
  owned: Pick<OwnedPartitions, 'numbers' | 'signalOf'>;
  directory: Pick<EndpointDirectory, 'get' | 'paused' | 'recent'>;
  health: Pick<EndpointHealth, 'remembered' | 'standingOf'>;
  scheduler: Pick<Scheduler, 'held'>;
  recentSteps: Pick<RecentSteps, 'has'>;
  outcomes: Pick<OutcomeWriter, 'ended'>;
  clock: Clock;
}

const everyMs = 60_000;
/** Rows ended in one go, as far as there is memory for their payloads: more than a busy endpoint gets in the meantime. */
const maxRows = 200;
const eventWindowMs = endpointDefaults.retry.window_seconds * 1_000;
const missedForMicros = 3_600 * 1e6;

export function createEndOverdue(deps: Deps): EndOverdue {
  const { table, owned, clock } = deps;
  /** When a row was first seen without its event, by the tables' time. */
  const missing = new Map<string, number>();
  let nextAtMs = clock.monotonicMs() + everyMs;

  function givenUpLanes(): { tenant: string; endpointId: string; createdBy: number }[] {
    const now = nowMicros(clock);
    const failing = [...deps.health.remembered()].flatMap(({ tenant, endpointId }) => {
      const { kind } = deps.health.standingOf({ tenant, endpointId });
      const endpoint = deps.directory.get(tenant, endpointId);
      if (endpoint === undefined || (kind !== 'open' && kind !== 'probe')) return [];
      return [{ tenant, endpointId, createdBy: createdByDeadline(endpoint.retry.windowMs, endpoint, now) }];
    });
    const paused = [...deps.directory.paused()].map((endpoint) => ({
      tenant: endpoint.tenant,
      endpointId: endpoint.id,
      createdBy: createdByDeadline(endpoint.retry.windowMs, endpoint, now),
    }));
    return [...failing, ...paused];
  }

  async function end(row: WaitingRow, content: EventContent | undefined, reason: DeadLetterReason): Promise<void> {
    const signal = owned.signalOf(row.partition);
    const delivery = { tenant: row.tenant, id: row.deliveryId };
    const endpoint = deps.directory.get(row.tenant, row.endpointId);
    if (signal === undefined || deps.scheduler.held(delivery) || deps.recentSteps.has(delivery, row.step + 1)) return;
    const job: RowJob = rowJob(row, content ?? withoutContent(row), { endpoint, signal });
    await deps.outcomes.ended(job, { status: 'dead_lettered', reason });
  }

  async function endGivenUp(partitions: number[]): Promise<boolean> {
    // A pause that has begun or ended since the last reading moves the deadlines.
    if (givenUpLanes().length > 0) await deps.directory.recent();
    const rows = await table.ofLanes({ partitions, lanes: givenUpLanes(), limit: maxRows });
    const contents = await deps.readContents(rows);
    await Promise.all(
      rows.map(async (row) => {
        const content = contents.of(row);
        if (content !== undefined) await end(row, content, 'retries_exhausted');
      }),
    );
    return rows.length === maxRows;
  }

  async function endWithoutEvent(partitions: number[]): Promise<void> {
    const createdBy = nowMicros(clock) - eventWindowMs * 1_000;
    const rows = await table.withoutEvent({ partitions, createdBy, limit: maxRows });
    const writtenAt = rows.length === 0 ? 0 : await table.writtenAt();
    const before = new Map(missing);
    missing.clear();
    for (const row of rows) {
      const key = deliveryKey({ tenant: row.tenant, id: row.deliveryId });
      const since = before.get(key) ?? writtenAt;
      if (writtenAt - since >= missedForMicros) await end(row, undefined, 'event_unavailable');
      else missing.set(key, since);
    }
  }

  return async () => {
    const partitions = owned.numbers();
    if (partitions.length === 0 || clock.monotonicMs() < nextAtMs) return;
    const areMore = await endGivenUp(partitions);
    await endWithoutEvent(partitions);
    nextAtMs = clock.monotonicMs() + (areMore ? 0 : everyMs);
  };
}
