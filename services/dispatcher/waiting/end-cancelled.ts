import type { Scheduler } from '../lanes/scheduler.ts';
import type { OwnedPartitions } from '../model/owned-partitions.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import { rowJob, withoutContent } from '../model/row-job.ts';
import type { OutcomeWriter } from '../send/outcome-writer.ts';
import type { OverdueTable } from './overdue-table.ts';

/**
 * Ends waiting deliveries whose cancellation was requested. One in a lane is left to its turn: it may be in flight.
 *
 * @throws AppError store_unavailable; stopped
 */
export type EndCancelled = () => Promise<void>;

interface Deps {
  table: Pick<OverdueTable, 'toCancel'>;
  owned: Pick<OwnedPartitions, 'numbers' | 'signalOf'>;
  scheduler: Pick<Scheduler, 'held'>;
  recentSteps: Pick<RecentSteps, 'has'>;
  outcomes: Pick<OutcomeWriter, 'ended'>;
}

const maxRows = 100;

export const createEndCancelled =
  ({ table, owned, scheduler, recentSteps, outcomes }: Deps): EndCancelled =>
  async () => {
    const partitions = owned.numbers();
    if (partitions.length === 0) return;
    const rows = await table.toCancel({ partitions, limit: maxRows });
    await Promise.all(
      rows.map(async (row) => {
        const delivery = { tenant: row.tenant, id: row.deliveryId };
        const signal = owned.signalOf(row.partition);
        if (signal === undefined || scheduler.held(delivery) || recentSteps.has(delivery, row.step + 1)) return;
        const job = rowJob(row, withoutContent(row), { endpoint: undefined, signal });
        await outcomes.ended(job, { status: 'cancelled', reason: 'cancelled_by_request' });
      }),
    );
  };
