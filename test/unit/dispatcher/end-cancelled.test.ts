import { createManualClock } from '#lib/runtime';
import { createEndCancelled } from '../../../services/dispatcher/waiting/end-cancelled.ts';
import type { Job } from '../../../services/dispatcher/model/job.ts';
import type { EndUnsent } from '../../../services/dispatcher/send/outcome-writer.ts';
import { createOwnedPartitions } from '../../../services/dispatcher/model/owned-partitions.ts';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import type { WaitingRow } from '../../../services/dispatcher/model/waiting-row.ts';
import { anOrder, aRowJob, startMicros } from './fixtures.ts';

const aRow = (overrides: Partial<WaitingRow> = {}): WaitingRow => ({
  tenant: 'acme',
  deliveryId: 'dlv_1',
  partition: 0,
  endpointId: 'ep_1',
  eventId: 'evt_1',
  generation: 0,
  state: 'retrying',
  dueAt: Infinity,
  step: 3,
  attempts: 2,
  createdAt: startMicros,
  order: anOrder(7),
  notBefore: null,
  ...overrides,
});

function createWorld(rows: WaitingRow[]) {
  const clock = createManualClock();
  const owned = createOwnedPartitions(clock);
  owned.assigned([{ topic: 'deliveries', partition: 0 }]);
  const recentSteps = createRecentSteps(clock);
  const ended: { job: Job; end: EndUnsent }[] = [];
  const asked: unknown[] = [];
  const world = { held: undefined as Job | undefined, owned, recentSteps, ended, asked };
  const endCancelled = createEndCancelled({
    table: { toCancel: async (question) => (asked.push(question), rows) },
    owned,
    scheduler: { held: () => world.held },
    recentSteps,
    outcomes: { ended: async (job, end) => void ended.push({ job, end }) },
  });
  return { ...world, world, endCancelled };
}

describe('what somebody has asked to be cancelled', () => {
  it('ends where it waits, in the step after its row, with its place in the order', async () => {
    const { endCancelled, ended, asked } = createWorld([aRow()]);
    await endCancelled();
    expect(asked).toMatchObject([{ partitions: [0] }]);
    expect(ended).toMatchObject([
      {
        job: { from: 'row', step: 4, attempts: 2, delivery: { id: 'dlv_1' }, order: anOrder(7) },
        end: { status: 'cancelled', reason: 'cancelled_by_request' },
      },
    ]);
  });

  it('is left alone while it is in a lane: it may be on its way', async () => {
    const { endCancelled, ended, world } = createWorld([aRow()]);
    world.held = aRowJob();
    await endCancelled();
    expect(ended).toEqual([]);
  });

  it('is not ended again where the table has not heard of that', async () => {
    const { endCancelled, ended, recentSteps } = createWorld([aRow()]);
    recentSteps.remember({ tenant: 'acme', id: 'dlv_1' }, 4, 'cancelled');
    await endCancelled();
    expect(ended).toEqual([]);
  });

  it('is its owner’s to end: not where the partition was lost, nor asked for where there is none', async () => {
    const { endCancelled, ended, asked, owned } = createWorld([aRow({ partition: 1 })]);
    await endCancelled();
    owned.revoked([{ topic: 'deliveries', partition: 0 }]);
    await endCancelled();
    expect([ended.length, asked.length]).toEqual([0, 1]);
  });
});
