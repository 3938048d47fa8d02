import { AppError, createManualClock, silentLogger } from '#lib/runtime';
import type { Endpoint } from '../../../services/dispatcher/model/endpoint.ts';
import { deliveryKey, type Job } from '../../../services/dispatcher/model/job.ts';
import { createOwnedPartitions } from '../../../services/dispatcher/model/owned-partitions.ts';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import { createWaitingRows, type ReleaseOrdered } from '../../../services/dispatcher/waiting/waiting-rows.ts';
import type { RowRef } from '../../../services/dispatcher/model/waiting-row.ts';
import { createReadContents } from '../../../services/dispatcher/waiting/read-contents.ts';
import type { DueQuestion, DueRow, WaitingTable } from '../../../services/dispatcher/waiting/waiting-table.ts';
import {
  aDelivery,
  anEndpoint,
  anOrder,
  aRowJob,
  contentOf,
  inOrder,
  noMetrics,
  settle,
  startMicros,
} from './fixtures.ts';
import { createServedRows } from '../../../services/dispatcher/waiting/served-rows.ts';

const aRow = (overrides: Partial<DueRow> = {}): DueRow => ({
  tenant: 'acme',
  deliveryId: 'dlv_1',
  partition: 0,
  endpointId: 'ep_1',
  eventId: 'evt_1',
  generation: 0,
  state: 'retrying',
  dueAt: startMicros,
  step: 1,
  attempts: 1,
  createdAt: startMicros,
  order: undefined,
  notBefore: null,
  payloadBytes: 11,
  ended: false,
  ...overrides,
});

/** The table’s statements are tried on Postgres; here it is what a test says. */
function createWorld() {
  const clock = createManualClock();
  const world = {
    clock,
    rows: [] as DueRow[],
    away: false,
    questions: [] as DueQuestion[],
    removedInOrder: [] as RowRef[],
    removed: [] as { tenant: string; deliveryId: string; step: number }[],
    offered: [] as Job[],
    held: new Map<string, Job>(),
    endpoints: new Map<string, Endpoint>([['ep_1', anEndpoint()]]),
    /** The result of a reading of the endpoints. */
    news: [] as Endpoint[],
    total: 100,
    onDue: () => undefined as void,
    onContents: () => undefined as void,
    paused: [] as Endpoint[],
    released: [] as DueRow[][],
    /** Tenants whose rows are locked. */
    locked: new Set<string>(),
    release: (async (due) => void world.released.push([...due])) as ReleaseOrdered,
  };
  const answer = <T>(value: T): T => {
    if (world.away) throw new AppError('store_unavailable', 'away');
    return value;
  };
  const table: WaitingTable = {
    due: async (question) => {
      world.questions.push(question);
      const rows = answer([...world.rows]);
      world.onDue();
      return rows;
    },
    contents: async (events) => {
      world.onContents();
      return answer(events.map(({ eventId }) => contentOf(eventId)));
    },
    remove: async (rows) => {
      const isLocked = ({ tenant }: { tenant: string }): boolean => world.locked.has(tenant);
      world.removed.push(...answer(rows).filter((row) => !isLocked(row)));
      return rows.filter(isLocked);
    },
    count: async () => answer({ retrying: 0, parked: 0 }),
  };
  const owned = createOwnedPartitions(clock);
  owned.assigned([{ topic: 'deliveries', partition: 0 }]);
  const recentSteps = createRecentSteps(clock);
  const servedRows = createServedRows({
    table,
    orderedRows: {
      remove: async (rows) => {
        world.removedInOrder.push(...answer(rows));
        return [];
      },
    },
  });
  const waitingRows = createWaitingRows({
    table,
    servedRows,
    readContents: createReadContents(table, { get: (_tenant, id) => world.endpoints.get(id) }),
    releaseOrdered: (...args) => world.release(...args),
    owned,
    directory: {
      get: (_tenant, id) => world.endpoints.get(id),
      paused: () => world.paused,
      recent: () => undefined,
      refresh: async () => answer(world.news).forEach((endpoint) => void world.endpoints.set(endpoint.id, endpoint)),
    },
    scheduler: {
      offer: (job) => (world.offered.push(job), 'queued'),
      held: (delivery) => world.held.get(deliveryKey(delivery)),
      heldRows: () => [...world.held.values()],
      waitingCapacity: async () => ({
        perLane: 50,
        perTenant: 80,
        lanes: [{ tenant: 'acme', endpointId: 'ep_2', room: 3, early: false }],
        tenants: [{ tenant: 'acme', room: 30, perLane: 5 }],
        total: world.total,
      }),
    },
    recentSteps,
    endOverdue: async () => undefined,
    endCancelled: async () => undefined,
    metrics: noMetrics,
    clock,
    log: silentLogger,
  });
  return { ...world, world, owned, recentSteps, servedRows, waitingRows };
}

describe('what waits', () => {
  let created: ReturnType<typeof createWorld>;
  beforeEach(() => (created = createWorld()));
  afterEach(async () => {
    created.world.away = false;
    const stopping = created.waitingRows.stop();
    await created.clock.advance(5_000);
    await stopping;
  });
  const start = async (): Promise<void> => {
    await created.waitingRows.start();
    await settle();
  };

  it('comes back into its lane as the next step, with its event’s content', async () => {
    created.world.rows = [aRow({ step: 4, attempts: 2, state: 'parked' })];
    await start();
    expect(created.offered).toEqual([
      {
        from: 'row',
        delivery: aDelivery(),
        order: undefined,
        step: 5,
        attempts: 2,
        state: 'parked',
        readyAt: startMicros,
        signal: created.owned.signalOf(0),
      },
    ]);
  });

  it('is ready no sooner than its lane has had room for all that is due, which is not the dispatcher’s doing', async () => {
    const lateRow = aRow({ deliveryId: 'dlv_late', endpointId: 'ep_2', dueAt: startMicros });
    created.world.rows = ['dlv_1', 'dlv_2', 'dlv_3'].map((deliveryId) => aRow({ deliveryId, endpointId: 'ep_2' }));
    await start();
    const fullUntilMicros = created.clock.nowMs() * 1_000;
    created.world.rows = [lateRow, aRow({ deliveryId: 'dlv_other', dueAt: startMicros })];
    await created.clock.advance(1_000);
    const readyAt = (id: string) => {
      const job = created.offered.find(({ delivery }) => delivery.id === id);
      return job?.from === 'row' ? job.readyAt : undefined;
    };
    expect([readyAt('dlv_late'), readyAt('dlv_other')]).toEqual([fullUntilMicros, startMicros]);
  });

  it('is ready no sooner than the pause of its endpoint has ended', async () => {
    created.world.paused = [anEndpoint({ id: 'ep_2' })];
    await start();
    const pausedUntilMicros = created.clock.nowMs() * 1_000;
    created.world.paused = [];
    created.world.rows = [aRow({ deliveryId: 'dlv_late', endpointId: 'ep_2', dueAt: startMicros - 3_600_000_000 })];
    await created.clock.advance(1_000);
    expect(created.offered[0]).toMatchObject({ delivery: { id: 'dlv_late' }, readyAt: pausedUntilMicros });
  });

  it('is looked for every second or sooner, in the partitions that are owned, against the lanes’ room', async () => {
    await start();
    await created.clock.advance(10_000);
    expect(created.world.questions.length).toBeGreaterThanOrEqual(10);
    expect(created.world.questions.length).toBeLessThan(20);
    expect(created.world.questions.at(-1)).toEqual({
      partitions: [0],
      now: expect.any(Number) as number,
      perLane: 50,
      perTenant: 80,
      perPartition: 1_000,
      lanes: [{ tenant: 'acme', endpointId: 'ep_2', room: 3, early: false }],
      tenants: [{ tenant: 'acme', room: 30, perLane: 5 }],
      starts: [],
      except: [],
      limit: 100,
    });
    created.owned.revoked([{ topic: 'deliveries', partition: 0 }]);
    const { length } = created.world.questions;
    await created.clock.advance(5_000);
    expect(created.world.questions).toHaveLength(length);
  });

  it('is looked for behind the lane at which the reading before ended, and from the first again after the last', async () => {
    created.world.rows = [aRow({ readTo: 'ep_7' }), aRow({ deliveryId: 'dlv_2', partition: 3, tenant: 'other' })];
    await start();
    created.world.rows = [];
    await created.clock.advance(1_000);
    expect(created.world.questions.map(({ starts }) => starts).slice(0, 3)).toEqual([
      [],
      [{ partition: 0, tenant: 'acme', endpointId: 'ep_7' }],
      [],
    ]);
  });

  it('is not looked for where no lane has room', async () => {
    created.world.total = 0;
    await start();
    await created.clock.advance(5_000);
    expect(created.world.questions).toEqual([]);
  });

  it('is not sent while it is in a lane, nor when its step was lately done though the table shows it still', async () => {
    created.recentSteps.remember({ tenant: 'acme', id: 'dlv_done' }, 2, 'retrying');
    created.recentSteps.remember({ tenant: 'acme', id: 'dlv_later' }, 2, 'retrying');
    created.world.rows = [
      aRow({ deliveryId: 'dlv_held' }),
      aRow({ deliveryId: 'dlv_done', step: 1 }),
      aRow({ deliveryId: 'dlv_later', step: 2 }),
    ];
    created.world.onDue = () => void created.world.held.set('acme/dlv_held', aRowJob({ id: 'dlv_held' }));
    await start();
    expect(created.offered.map(({ delivery }) => delivery.id)).toEqual(['dlv_later']);
  });

  it('is removed up to its step after its outcome, before the next reading', async () => {
    await start();
    created.servedRows.add(aRowJob({ id: 'dlv_1' }, { step: 3 }));
    const { length } = created.world.questions;
    await created.clock.advance(1_000);
    expect(created.world.removed).toMatchObject([{ tenant: 'acme', deliveryId: 'dlv_1', step: 2 }]);
    expect(created.world.questions.length).toBeGreaterThan(length);
    await created.clock.advance(5_000);
    expect(created.world.removed).toHaveLength(1);
  });

  it('stays while somebody has locked it: it is read no more, its tenant has so much less room, and others go on', async () => {
    created.world.locked.add('other');
    created.servedRows.addRow(aRow({ tenant: 'other', deliveryId: 'dlv_l' }));
    created.servedRows.addRow(aRow({ deliveryId: 'dlv_done' }));
    created.world.rows = [aRow({ deliveryId: 'dlv_2' })];
    await start();
    await created.clock.advance(3_000);
    expect(created.world.removed.map(({ deliveryId }) => deliveryId)).toEqual(['dlv_done']);
    const acme = { tenant: 'acme', room: 30, perLane: 5 };
    expect(created.world.questions.at(-1)).toMatchObject({
      except: [{ tenant: 'other', id: 'dlv_l' }],
      tenants: [acme, { tenant: 'other', room: 79, perLane: 50 }],
    });
    expect(created.offered.map(({ delivery }) => delivery.id)).toContain('dlv_2');
    created.world.locked.clear();
    await created.clock.advance(1_000);
    expect(created.servedRows.count()).toBe(0);
    expect(created.world.questions.at(-1)).toMatchObject({ except: [], tenants: [acme] });
  });

  it('waits while Postgres is away, and so do the removals', async () => {
    await start();
    created.world.away = true;
    created.servedRows.add(aRowJob({ id: 'dlv_1' }, { step: 2 }));
    const { length } = created.world.questions;
    await created.clock.advance(60_000);
    expect(created.world.removed).toEqual([]);
    // Rows that are to be removed would otherwise be read once more.
    expect(created.world.questions).toHaveLength(length);
    created.world.away = false;
    created.world.rows = [aRow({ deliveryId: 'dlv_2' })];
    await created.clock.advance(1_000);
    expect(created.world.removed).toHaveLength(1);
    expect(created.offered.map(({ delivery }) => delivery.id)).toContain('dlv_2');
  });

  it('is removed at the stop too', async () => {
    await start();
    created.servedRows.add(aRowJob({ id: 'dlv_1' }, { step: 2 }));
    const stopping = created.waitingRows.stop();
    await settle();
    await stopping;
    expect(created.world.removed).toHaveLength(1);
  });

  it('is left alone when its partition was lost while it was read', async () => {
    created.world.rows = [aRow()];
    created.world.onDue = () => created.owned.revoked([{ topic: 'deliveries', partition: 0 }]);
    await start();
    expect(created.offered).toEqual([]);
  });

  it('is let go of with its partition', async () => {
    created.world.rows = [aRow()];
    await start();
    const [job] = created.offered;
    expect(job?.from === 'row' && job.signal.aborted).toBe(false);
    // Taken away and given back: what was read before is not ours any more.
    created.owned.assigned([{ topic: 'deliveries', partition: 0 }]);
    expect(job?.from === 'row' && job.signal.aborted).toBe(true);
  });

  it('of an endpoint that is deleted or disabled is ended before it is due, once the directory has heard of that', async () => {
    created.world.rows = [aRow({ dueAt: startMicros + 3_600_000_000 })];
    created.world.news = [anEndpoint({ deletedAt: startMicros })];
    await start();
    expect(created.offered).toHaveLength(1);
  });

  it('is never sent before it is due', async () => {
    created.world.rows = [aRow({ dueAt: startMicros + 3_600_000_000 })];
    await start();
    expect(created.offered).toEqual([]);
  });

  it('of an endpoint that is not known has the endpoints read again first', async () => {
    created.world.rows = [aRow({ endpointId: 'ep_new' })];
    created.world.news = [anEndpoint({ id: 'ep_new' })];
    await start();
    expect(created.world.endpoints.has('ep_new')).toBe(true);
    expect(created.offered).toHaveLength(1);
  });

  it('comes in portions, so that payloads do not fill the memory', async () => {
    const mebibyte = 1024 * 1024;
    created.world.rows = Array.from({ length: 40 }, (_, at) =>
      aRow({ deliveryId: `dlv_${at}`, eventId: `evt_${at}`, payloadBytes: mebibyte }),
    );
    await start();
    expect(created.offered).toHaveLength(16);
  });

  it('is not sent where it has ended here on another way, and goes with that end', async () => {
    created.recentSteps.remember({ tenant: 'acme', id: 'dlv_1' }, 1, 'delivered');
    created.world.rows = [aRow({ step: 3 })];
    await start();
    expect(created.offered).toEqual([]);
  });

  it('is not sent where it has ended here, from its record, while its event was read', async () => {
    created.world.rows = [aRow()];
    created.world.onContents = () => created.recentSteps.remember({ tenant: 'acme', id: 'dlv_1' }, 1, 'delivered');
    await start();
    expect(created.offered).toEqual([]);
  });

  describe('and is in an order', () => {
    const anOrderedRow = (overrides: Partial<DueRow> = {}) => ({ ...aRow(overrides), order: anOrder(7) });

    it('goes its own way back, and others theirs', async () => {
      const ordered = anOrderedRow({ deliveryId: 'dlv_2' });
      created.world.rows = [ordered, aRow()];
      await start();
      expect(created.world.released[0]).toEqual([ordered]);
      expect(created.offered.map(({ delivery }) => delivery.id)).toEqual(['dlv_1']);
    });

    it('is removed by the one way to its rows, up to its step: after its outcome, and where it is found to have ended', async () => {
      created.world.release = async (_due, remove) => remove({ ...anOrderedRow({ step: 4 }), order: anOrder(7) });
      await start();
      created.servedRows.add(inOrder(aRowJob({ id: 'dlv_2' }, { step: 3 }), 8));
      created.servedRows.add(aRowJob({ id: 'dlv_3' }, { step: 2 }));
      await created.clock.advance(1_000);
      const ref = { tenant: 'acme', endpointId: 'ep_1' };
      expect(created.world.removedInOrder.slice(0, 2)).toEqual([
        { ...ref, deliveryId: 'dlv_1', step: 4, order: anOrder(7) },
        { ...ref, deliveryId: 'dlv_2', step: 2, order: anOrder(8) },
      ]);
      expect(created.world.removed).toMatchObject([{ deliveryId: 'dlv_3', step: 1 }]);
    });

    it('waits to be removed while Postgres is away', async () => {
      await start();
      created.world.away = true;
      created.servedRows.add(inOrder(aRowJob({ id: 'dlv_2' }, { step: 3 }), 8));
      await created.clock.advance(10_000);
      created.world.away = false;
      await created.clock.advance(1_000);
      expect(created.world.removedInOrder).toMatchObject([{ deliveryId: 'dlv_2', step: 2 }]);
    });
  });
});
