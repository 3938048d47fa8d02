import { type DeliveryStatus, trailMark } from '#lib/contract';
import { createPostgres, type Postgres } from '#lib/postgres';
import { formatMicros, silentLogger } from '#lib/runtime';
import { waitingSessionSettings } from '../../../services/dispatcher/waiting/lanes-with-rows.ts';
import { createOverdueTable } from '../../../services/dispatcher/waiting/overdue-table.ts';
import {
  createWaitingTable,
  type DueQuestion,
  type WaitingTable,
} from '../../../services/dispatcher/waiting/waiting-table.ts';
import { createDatabase } from '../../support/servers.ts';

const now = Date.UTC(2026, 0, 1) * 1_000 + 123_456;
const second = 1_000_000;

interface Row {
  id: string;
  endpointId?: string;
  tenant?: string;
  partition?: number;
  dueAt?: number;
  step?: number;
  eventId?: string;
}

describe('the table of what waits', () => {
  let postgres: Postgres;
  let indexScanPool: Postgres;
  let table: WaitingTable;

  beforeAll(async () => {
    const options = {
      url: await createDatabase(),
      applicationName: 'hookline-test',
      maxConnections: 2,
      statementTimeoutMs: 30_000,
      log: silentLogger,
    };
    postgres = createPostgres(options);
    indexScanPool = createPostgres({ ...options, sessionSettings: waitingSessionSettings });
    await Promise.all([postgres.start(), indexScanPool.start()]);
    table = createWaitingTable(postgres, indexScanPool);
    await insertEvent('acme', 'evt_1', 'one');
    await insertEvent('other', 'evt_1', 'other’s');
  });
  afterAll(() => Promise.all([postgres?.stop(), indexScanPool?.stop()]));
  beforeEach(() => postgres.query('TRUNCATE waiting, deliveries, endpoints'));

  async function insertEvent(tenant: string, id: string, body: string): Promise<void> {
    await postgres.query(
      `INSERT INTO events (tenant, id, source_id, type, receipt_id, origin, dedup_key, received_at, updated_at, ordering_key, traceparent)
       VALUES ($1, $2, 'src_1', 'order.created', 'rcp_1', 'o', '\\x00', $3, $3, 'key', 'trace')`,
      [tenant, id, formatMicros(now - second)],
    );
    await postgres.query(`INSERT INTO event_payloads VALUES ($1, $2, $3, 'text/plain', $4)`, [
      tenant,
      id,
      formatMicros(now - second),
      Buffer.from(body),
    ]);
  }
  async function insert(...rows: Row[]): Promise<void> {
    for (const {
      id,
      endpointId = 'ep_1',
      tenant = 'acme',
      partition = 0,
      dueAt = now,
      step = 1,
      eventId = 'evt_1',
    } of rows)
      await postgres.query(`INSERT INTO waiting VALUES ($1, $2, $3, $4, $5, 0, 'retrying', $6, $7, 1, $6)`, [
        ...[tenant, id, partition, endpointId, eventId, formatMicros(dueAt), step],
      ]);
  }
  const insertDelivery = (id: string, status: DeliveryStatus) =>
    postgres.query(
      `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, created_at, updated_at)
       VALUES ('acme', $1, 'evt_1', 'ep_1', 0, $2, now(), now())`,
      [id, status],
    );
  const insertEndpoint = (id: string, closed: 'deleted_at' | 'disabled_at' | 'created_at') =>
    postgres.query(`INSERT INTO endpoints (tenant, id, url, secrets, ${closed}) VALUES ('acme', $1, '', '', now())`, [
      id,
    ]);
  const question = (changes: Partial<DueQuestion> = {}): DueQuestion => ({
    partitions: [0, 1, 2],
    now,
    perLane: 10,
    perTenant: 1_000,
    perPartition: 1_000,
    lanes: [],
    tenants: [],
    starts: [],
    except: [],
    limit: 100,
    ...changes,
  });
  const due = async (changes: Partial<DueQuestion> = {}): Promise<string[]> =>
    (await table.due(question(changes))).map(({ deliveryId }) => deliveryId);

  it('gives what is due, the oldest first, with all that it says, to the microsecond', async () => {
    await insert({ id: 'b', dueAt: now }, { id: 'a', dueAt: now - 1, step: 3 }, { id: 'later', dueAt: now + 1 });
    expect(await table.due(question())).toEqual([
      {
        tenant: 'acme',
        deliveryId: 'a',
        partition: 0,
        endpointId: 'ep_1',
        eventId: 'evt_1',
        generation: 0,
        state: 'retrying',
        dueAt: now - 1,
        step: 3,
        attempts: 1,
        createdAt: now - 1,
        order: undefined,
        notBefore: null,
        payloadBytes: 3,
        ended: false,
      },
      expect.objectContaining({ deliveryId: 'b', dueAt: now }),
    ]);
  });

  it('gives rows of the partitions asked for, of every tenant apart', async () => {
    await insert({ id: 'a', partition: 0 }, { id: 'b', partition: 1 }, { id: 'a', tenant: 'other', partition: 1 });
    expect(await due({ partitions: [0] })).toEqual(['a']);
    expect(await due({ partitions: [] })).toEqual([]);
    const room = [{ tenant: 'acme', endpointId: 'ep_1', room: 0, early: false }];
    expect((await table.due(question({ lanes: room }))).map(({ tenant }) => tenant)).toEqual(['other']);
  });

  it('finds what came after a read that found nothing, in whichever partition', async () => {
    expect([await due(), await due()]).toEqual([[], []]);
    await insert({ id: 'a', partition: 2 });
    expect(await due({ partitions: [0, 1] })).toEqual([]);
    expect(await due()).toEqual(['a']);
  });
  it('gives of each lane what it has room for, so that a backlog does not hide the others', async () => {
    const backlog = Array.from({ length: 30 }, (_, at) => ({ id: `backlog${at}`, dueAt: now - second + at }));
    await insert(...backlog, { id: 'x', endpointId: 'ep_2' }, { id: 'y', endpointId: 'ep_3', partition: 1 });
    expect(await due({ perLane: 2 })).toEqual(['backlog0', 'backlog1', 'x', 'y']);
    expect(await due({ perLane: 2, lanes: [{ tenant: 'acme', endpointId: 'ep_1', room: 0, early: false }] })).toEqual([
      'x',
      'y',
    ]);
    expect(await due({ perLane: 3, lanes: [{ tenant: 'acme', endpointId: 'ep_1', room: 1, early: false }] })).toEqual([
      ...['backlog0', 'x', 'y'],
    ]);
    expect(await due({ limit: 1 })).toEqual(['backlog0']);
  });

  it('gives of each tenant what it has room for, in turns, so that the older backlog of one does not hide what others have', async () => {
    const backlog = Array.from({ length: 30 }, (_, at) => ({
      id: `b${at}`,
      endpointId: `ep_${at % 10}`,
      partition: (at % 10) % 3,
      dueAt: now - second + at,
    }));
    await insert(...backlog);
    for (const id of ['x', 'y']) await insert({ id, tenant: 'other', eventId: 'evt_1' });
    expect(await due({ limit: 5 })).toEqual(['b0', 'x', 'b1', 'y', 'b2']);
    expect(await due({ limit: 5, perTenant: 1 })).toEqual(['b0', 'x']);
    const tenants = [{ tenant: 'acme', room: 0, perLane: 10 }];
    expect(await due({ tenants })).toEqual(['x', 'y']);
    expect(await due({ tenants: [{ tenant: 'acme', room: 30, perLane: 1 }] })).toHaveLength(12);
  });

  it('ends early in a tenant that has more due than its part of a partition, and says at which lane', async () => {
    const lanes = ['ep_1', 'ep_2', 'ep_3', 'ep_4', 'ep_5'];
    await insert(...lanes.flatMap((endpointId) => [0, 1].map((at) => ({ id: `${endpointId}-${at}`, endpointId }))));
    await insert({ id: 'other', tenant: 'other', endpointId: 'ep_1' });
    const found = await table.due(question({ perPartition: 4 }));
    const endsOf = (tenant: string) =>
      new Set(found.filter((row) => row.tenant === tenant).map(({ readTo }) => readTo));
    expect(found.map(({ endpointId }) => endpointId).sort()).toEqual(['ep_1', 'ep_1', 'ep_1', 'ep_2', 'ep_2']);
    expect([endsOf('acme'), endsOf('other')]).toEqual([new Set(['ep_2']), new Set([undefined])]);
    const startAt = (endpointId: string) => ({ starts: [{ partition: 0, tenant: 'acme', endpointId }] });
    const next = await table.due(question({ perPartition: 4, ...startAt('ep_2') }));
    expect(
      new Set(next.filter(({ tenant }) => tenant === 'acme').map((row) => [row.endpointId, row.readTo].join())),
    ).toEqual(new Set(['ep_3,ep_4', 'ep_4,ep_4']));
    const last = await table.due(question({ perPartition: 4, ...startAt('ep_4') }));
    expect(last.filter(({ tenant }) => tenant === 'acme').map((row) => [row.endpointId, row.readTo])).toEqual([
      ['ep_5', undefined],
      ['ep_5', undefined],
    ]);
  });

  it('leaves out what is in hand, and gives what stands behind it', async () => {
    await insert({ id: 'a', dueAt: now - 2 }, { id: 'b', dueAt: now - 1 }, { id: 'c' });
    expect(await due({ perLane: 1, except: [{ tenant: 'acme', id: 'a' }] })).toEqual(['b']);
    expect(await due({ perLane: 1, except: [{ tenant: 'other', id: 'a' }] })).toEqual(['a']);
  });

  it('leaves out deliveries that have ended, and those whose event is not known yet', async () => {
    await insert(
      { id: 'delivered' },
      { id: 'dead' },
      { id: 'cancelled' },
      { id: 'open' },
      { id: 'early', eventId: 'evt_unknown' },
    );
    await insertDelivery('delivered', 'delivered');
    await insertDelivery('dead', 'dead_lettered');
    await insertDelivery('cancelled', 'cancelled');
    await insertDelivery('open', 'retrying');
    expect(await due()).toEqual(['open']);
  });

  it('gives one that has ended where it is in an order, and says so: nobody else removes it', async () => {
    await insert({ id: 'ended' }, { id: 'open', dueAt: now - 1 });
    await postgres.query(`UPDATE waiting SET ordering_key = '\\xabcd', sequence = 9007199254740993`);
    await insertDelivery('ended', 'delivered');
    const order = { key: 'abcd', sequence: 9007199254740993n, partition: 0 };
    expect(await table.due(question())).toMatchObject([
      { deliveryId: 'open', order, ended: false },
      { deliveryId: 'ended', order, ended: true },
    ]);
  });

  it('gives what is in an order early to a lane that tries its endpoint, but for what was asked to wait', async () => {
    const later = formatMicros(now + 3_600 * second);
    await insert({ id: 'ordered', dueAt: now + 3_600 * second }, { id: 'asked', dueAt: now + 3_600 * second });
    await insert({ id: 'not in an order', dueAt: now + 3_600 * second }, { id: 'behind' });
    await postgres.query(`UPDATE waiting SET ordering_key = 'k', sequence = 1 WHERE delivery_id <> 'not in an order'`);
    await postgres.query(`UPDATE waiting SET due_at = 'infinity' WHERE delivery_id = 'behind'`);
    await postgres.query(`UPDATE waiting SET not_before = $1 WHERE delivery_id = 'asked'`, [later]);
    const lane = { tenant: 'acme', endpointId: 'ep_1', room: 10 };
    expect(await due({ lanes: [{ ...lane, early: true }] })).toEqual(['ordered']);
    expect(await due({ lanes: [{ ...lane, early: false }] })).toEqual([]);
  });

  it('never gives what stands behind another', async () => {
    await insert({ id: 'first' }, { id: 'behind' });
    await postgres.query(
      `UPDATE waiting SET ordering_key = '\\xab', sequence = 1, due_at = CASE delivery_id WHEN 'first' THEN due_at ELSE 'infinity' END`,
    );
    expect(await due()).toEqual(['first']);
  });

  it('gives at once what waits for an endpoint that was deleted or disabled', async () => {
    const dueAt = now + 3_600 * second;
    await insert(
      { id: 'a', endpointId: 'ep_deleted', dueAt },
      { id: 'b', endpointId: 'ep_disabled', dueAt },
      { id: 'c', endpointId: 'ep_open', dueAt },
    );
    await insertEndpoint('ep_deleted', 'deleted_at');
    await insertEndpoint('ep_disabled', 'disabled_at');
    await insertEndpoint('ep_open', 'created_at');
    expect((await due()).sort()).toEqual(['a', 'b']);
  });

  it('has what a delivery needs of its event', async () => {
    expect(
      await table.contents([
        { tenant: 'acme', eventId: 'evt_1' },
        { tenant: 'acme', eventId: 'evt_unknown' },
      ]),
    ).toEqual([
      {
        tenant: 'acme',
        eventId: 'evt_1',
        type: 'order.created',
        receivedAt: now - second,
        orderingKey: 'key',
        traceparent: 'trace',
        contentType: 'text/plain',
        contentEncoding: null,
        payload: Buffer.from('one'),
        trail: [trailMark('src_1')],
        request: null,
      },
    ]);
  });

  it('has the request of an event only where it is asked for', async () => {
    const request = { method: 'POST', path: '/', client_address: '192.0.2.7', headers: [], truncated: false };
    await postgres.query(`UPDATE event_payloads SET request = $1 WHERE event_id = 'evt_1'`, [JSON.stringify(request)]);
    const read = async (withRequest: boolean) =>
      (await table.contents([{ tenant: 'acme', eventId: 'evt_1', withRequest }])).map((content) => content.request);
    expect(await read(true)).toEqual([request]);
    expect(await read(false)).toEqual([null]);
  });

  it('has the trail of an event, whether its request is asked for or not', async () => {
    const request = { method: 'POST', path: '/', client_address: '', headers: [], truncated: false };
    const trail = [trailMark('src_0')];
    const text = JSON.stringify({ ...request, trail });
    await postgres.query(`UPDATE event_payloads SET request = $1 WHERE event_id = 'evt_1'`, [text]);
    const [content] = await table.contents([{ tenant: 'acme', eventId: 'evt_1' }]);
    expect(content).toMatchObject({ request: null, trail: [...trail, trailMark('src_1')] });
  });

  it('removes a row up to its step: a later one stays', async () => {
    await insert(
      { id: 'a', step: 2 },
      { id: 'b', step: 3 },
      { id: 'c', step: 2 },
      { id: 'a', tenant: 'other', step: 2 },
    );
    await table.remove([
      { tenant: 'acme', deliveryId: 'a', step: 2 },
      { tenant: 'acme', deliveryId: 'b', step: 2 },
    ]);
    expect((await table.due(question())).map(({ tenant, deliveryId }) => `${tenant}/${deliveryId}`).sort()).toEqual([
      ...['acme/b', 'acme/c', 'other/a'],
    ]);
  });

  it('leaves rows that somebody has locked, says which, and waits for none of them', async () => {
    await insert({ id: 'a', step: 2 }, { id: 'b', step: 2 }, { id: 'a', tenant: 'other', step: 2 });
    const served = [
      { tenant: 'acme', deliveryId: 'a', step: 2 },
      { tenant: 'acme', deliveryId: 'b', step: 2 },
      { tenant: 'other', deliveryId: 'a', step: 2 },
      { tenant: 'other', deliveryId: 'gone', step: 2 },
    ];
    await postgres.transaction(async (holder) => {
      await holder.query(`SELECT FROM waiting WHERE tenant = 'acme' AND delivery_id = 'a' FOR UPDATE`);
      expect(await table.remove(served)).toEqual([{ tenant: 'acme', deliveryId: 'a' }]);
    });
    expect((await table.due(question())).map(({ tenant, deliveryId }) => `${tenant}/${deliveryId}`)).toEqual([
      'acme/a',
    ]);
    expect(await table.remove(served)).toEqual([]);
    expect(await table.due(question())).toEqual([]);
  });

  it('is counted by state', async () => {
    await insert({ id: 'a' }, { id: 'b' }, { id: 'elsewhere', partition: 9 });
    await postgres.query(`UPDATE waiting SET state = 'parked' WHERE delivery_id = 'b'`);
    expect(await table.count([0, 1])).toEqual({ retrying: 1, parked: 1 });
    expect(await table.count([])).toEqual({ retrying: 0, parked: 0 });
  });

  it('is counted from a part of it once it is large', async () => {
    await postgres.query(
      `INSERT INTO waiting (tenant, delivery_id, partition, endpoint_id, event_id, generation, state, due_at, step, attempts, created_at)
       SELECT 'acme', 'dlv_' || n, n % 3, 'ep_backlog', 'evt_1', 0, CASE WHEN n % 4 = 0 THEN 'parked' ELSE 'retrying' END, $1, 1, 1, $1
         FROM generate_series(1, 240000) AS n`,
      [formatMicros(now)],
    );
    const { retrying, parked } = await table.count([0, 1]);
    expect(Math.abs(retrying / 120_000 - 1)).toBeLessThan(0.1);
    expect(Math.abs(parked / 40_000 - 1)).toBeLessThan(0.1);
    const [plan] = await postgres.query<{ pages: string }>(
      `SELECT pg_relation_size('waiting') / current_setting('block_size')::int AS pages`,
    );
    // A smaller table would be read whole.
    expect(Number(plan?.pages)).toBeGreaterThan(2_500);
  });

  it('is read past a backlog of one lane without looking at its rows', async () => {
    await postgres.query(
      `INSERT INTO waiting
       SELECT 'acme', 'dlv_' || n, 0, 'ep_backlog', 'evt_1', 0, 'parked', $1::timestamptz - n * interval '1 ms', 1, 1, $1
         FROM generate_series(1, 50000) AS n`,
      [formatMicros(now)],
    );
    await insert({ id: 'x', endpointId: 'ep_2' });
    await postgres.query('ANALYZE waiting');
    const before = await blocksRead();
    expect(await due({ lanes: [{ tenant: 'acme', endpointId: 'ep_backlog', room: 0, early: false }] })).toEqual(['x']);
    expect((await due({ perLane: 5 })).length).toBe(6);
    // The backlog alone fills some 700 blocks.
    expect((await blocksRead()) - before).toBeLessThan(300);
  });

  it('asks no more rows about their events than are wanted, where every lane has a backlog and the planner knows of it', async () => {
    await postgres.query(
      `INSERT INTO waiting
       SELECT 'acme', 'dlv_' || lane || '_' || n, lane % 3, 'ep_' || lane, 'evt_1', 0, 'parked', $1::timestamptz - n * interval '1 ms', 1, 1, $1
         FROM generate_series(1, 20) AS lane, generate_series(1, 3000) AS n`,
      [formatMicros(now)],
    );
    await postgres.query('ANALYZE');
    const lanes = Array.from({ length: 20 }, (_, n) => ({ tenant: 'acme', endpointId: `ep_${n + 1}` }));
    const overdue = createOverdueTable(postgres, indexScanPool);
    const question = { partitions: [0, 1, 2], lanes: lanes.map((lane) => ({ ...lane, createdBy: now })), limit: 20 };
    const asked: number[] = [];
    // Other connections' earlier reads are counted late, which may be now: once.
    for (let turn = 0; turn < 3; turn += 1) {
      const before = await eventsAsked();
      expect((await due({ perLane: 100, limit: 500 })).length).toBe(500);
      expect((await overdue.ofLanes(question)).length).toBe(20);
      asked.push((await eventsAsked()) - before);
    }
    // In a lane's turn it is found twice, for its payload's being there and its size.
    expect(Math.min(...asked)).toBeLessThanOrEqual(2 * 20 * 100 + 20 * 20 + 20);
  });

  it('is read within a statement’s time where a tenant has thousands of lanes, whatever is known of each', async () => {
    await postgres.query(
      `INSERT INTO waiting
       SELECT 'acme', 'dlv_' || lane || '_' || n, lane % 3, 'ep_' || lane, 'evt_1', 0, 'parked', $1::timestamptz - n * interval '1 ms', 1, 1, $1
         FROM generate_series(1, 5000) AS lane, generate_series(1, 5) AS n`,
      [formatMicros(now)],
    );
    await insert({ id: 'x', tenant: 'other' });
    await postgres.query('ANALYZE waiting');
    const lanes = Array.from({ length: 5_000 }, (_, n) => ({
      tenant: 'acme',
      endpointId: `ep_${n + 1}`,
      room: 0,
      early: false,
    }));
    const startMs = performance.now();
    expect(await due({ perLane: 100, perPartition: 167, limit: 500, lanes })).toEqual(['x']);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });

  async function eventsAsked(): Promise<number> {
    await postgres.query('SELECT pg_stat_force_next_flush()');
    await postgres.query('SELECT pg_stat_clear_snapshot()');
    const [row] = await postgres.query<{ scans: number }>(
      `SELECT (idx_scan + seq_scan)::int AS scans FROM pg_stat_user_tables WHERE relname = 'events'`,
    );
    return row?.scans ?? 0;
  }

  /** Blocks of the table’s heap. */
  async function blocksRead(): Promise<number> {
    await postgres.query('SELECT pg_stat_force_next_flush()');
    await postgres.query('SELECT pg_stat_clear_snapshot()');
    const [row] = await postgres.query<{ blocks: number }>(
      `SELECT (heap_blks_read + heap_blks_hit)::int AS blocks FROM pg_statio_user_tables WHERE relname = 'waiting'`,
    );
    return row?.blocks ?? 0;
  }
});
