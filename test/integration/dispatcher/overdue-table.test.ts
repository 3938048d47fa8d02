import { createPostgres, type Postgres } from '#lib/postgres';
import { formatMicros, silentLogger } from '#lib/runtime';
import { createKnownDeliveries, type KnownDeliveries } from '../../../services/dispatcher/intake/known-deliveries.ts';
import { createOverdueTable, type OverdueTable } from '../../../services/dispatcher/waiting/overdue-table.ts';
import { createDatabase } from '../../support/servers.ts';
import { aDelivery } from '../../unit/dispatcher/fixtures.ts';

const now = Date.UTC(2026, 0, 10) * 1_000 + 123_456;
const hour = 3_600 * 1e6;

describe('rows that nothing would bring back', () => {
  let postgres: Postgres;
  let table: OverdueTable;
  let knownDeliveries: KnownDeliveries;
  beforeAll(async () => {
    postgres = createPostgres({
      url: await createDatabase(),
      applicationName: 'hookline-test',
      maxConnections: 2,
      statementTimeoutMs: 30_000,
      log: silentLogger,
    });
    await postgres.start();
    table = createOverdueTable(postgres, postgres);
    knownDeliveries = createKnownDeliveries(postgres);
    const at = formatMicros(now - 80 * hour);
    for (const id of ['evt_1', 'evt_without_payload'])
      await postgres.query(
        `INSERT INTO events (tenant, id, source_id, type, receipt_id, origin, dedup_key, received_at, updated_at)
         VALUES ('acme', $1, 'src_1', 'order.created', 'rcp_1', 'o', '\\x00', $2, $3)`,
        [id, at, formatMicros(now - (id === 'evt_1' ? 0 : 1))],
      );
    await postgres.query(`INSERT INTO event_payloads VALUES ('acme', 'evt_1', $1, 'text/plain', '\\x01')`, [at]);
  });
  afterAll(() => postgres?.stop());
  beforeEach(() => postgres.query('TRUNCATE waiting, deliveries, tenant_clocks'));

  const insert = (
    id: string,
    facts: { eventId?: string; endpointId?: string; partition?: number; createdAt?: number } = {},
  ) =>
    postgres.query(`INSERT INTO waiting VALUES ('acme', $1, $2, $3, $4, 0, 'parked', $5, 3, 2, $6)`, [
      ...[id, facts.partition ?? 0, facts.endpointId ?? 'ep_1', facts.eventId ?? 'evt_1'],
      ...[formatMicros(now - hour), formatMicros(facts.createdAt ?? now - 73 * hour)],
    ]);
  const insertDelivery = (id: string, status: string, step: number) =>
    postgres.query(
      `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, created_at, updated_at)
       VALUES ('acme', $1, 'evt_1', 'ep_1', 0, $2, $3, now(), now())`,
      [id, status, step],
    );
  const ids = (rows: { deliveryId: string }[]): string[] => rows.map(({ deliveryId }) => deliveryId);

  it('are those of the lanes asked for, up to each one’s time, the oldest first', async () => {
    await insert('b');
    await insert('a', { createdAt: now - 74 * hour, endpointId: 'ep_2' });
    await insert('young', { createdAt: now - 71 * hour });
    await insert('of another lane', { endpointId: 'ep_3' });
    await insert('elsewhere', { partition: 7 });
    await insert('without event', { eventId: 'evt_unknown' });
    await insert('ended');
    await insertDelivery('ended', 'delivered', 4);
    const lanes = ['ep_1', 'ep_2'].map((endpointId) => ({ tenant: 'acme', endpointId, createdBy: now - 72 * hour }));
    const rows = await table.ofLanes({ partitions: [0, 1], lanes, limit: 10 });
    expect(ids(rows)).toEqual(['a', 'b']);
    expect(rows[1]).toEqual({
      tenant: 'acme',
      deliveryId: 'b',
      partition: 0,
      endpointId: 'ep_1',
      eventId: 'evt_1',
      generation: 0,
      state: 'parked',
      dueAt: now - hour,
      step: 3,
      attempts: 2,
      createdAt: now - 73 * hour,
      order: undefined,
      notBefore: null,
      payloadBytes: 1,
    });
    expect(ids(await table.ofLanes({ partitions: [0], lanes, limit: 1 }))).toEqual(['a']);
    expect(await table.ofLanes({ partitions: [0], lanes: [], limit: 10 })).toEqual([]);
  });

  it('are those whose event, or its payload, is not there', async () => {
    await insert('with event');
    await insert('without', { eventId: 'evt_unknown' });
    await insert('without payload', { eventId: 'evt_without_payload', createdAt: now - 72.5 * hour });
    await insert('young', { eventId: 'evt_unknown', createdAt: now - hour });
    const question = { partitions: [0], createdBy: now - 72 * hour, limit: 10 };
    expect(ids(await table.withoutEvent(question))).toEqual(['without', 'without payload']);
  });

  it('are those whose delivery somebody wants ended, and has not ended', async () => {
    for (const id of ['wanted', 'ended', 'elsewhere', 'not asked for', 'without row'])
      await insertDelivery(id, id === 'ended' ? 'delivered' : 'parked', 1);
    await insert('wanted');
    await insert('ended');
    await insert('elsewhere', { partition: 7 });
    await insert('not asked for');
    await postgres.query(`UPDATE deliveries SET cancel_requested = true WHERE id <> 'not asked for'`);
    expect(ids(await table.toCancel({ partitions: [0, 1], limit: 10 }))).toEqual(['wanted']);
    expect(ids(await table.toCancel({ partitions: [0, 7], limit: 1 }))).toHaveLength(1);
  });

  it('are judged by when the tables were last written to', async () => {
    expect(await table.writtenAt()).toBe(0);
    await postgres.query(`INSERT INTO tenant_clocks VALUES ('acme', $1), ('other', $2)`, [
      ...[formatMicros(now), formatMicros(now - 1)],
    ]);
    expect(await table.writtenAt()).toBe(now);
  });

  it('are told from deliveries that have an outcome: those have a step', async () => {
    await insertDelivery('dlv_set', 'pending', 0);
    await insertDelivery('dlv_parked', 'parked', 1);
    await insertDelivery('dlv_done', 'delivered', 2);
    const asked = ['dlv_set', 'dlv_parked', 'dlv_done', 'dlv_unknown'].map((id) => aDelivery({ id }));
    const known = await knownDeliveries.among([...asked, aDelivery({ id: 'dlv_done', tenant: 'other' })]);
    expect([...known].sort()).toEqual(['acme/dlv_done', 'acme/dlv_parked']);
  });
});
