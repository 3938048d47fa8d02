import { Registry } from 'prom-client';
import { systemClock } from '#lib/runtime';
import { createTenantLimits, createTenantUsage, noLimitSettings } from '#lib/tenancy';
import { createWaitingRequests } from '../../../services/api/limits/waiting-requests.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Answer } from '../../unit/api/ask.ts';
import { isReplay } from '../../unit/idempotency/world.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

const limits = createTenantLimits(noLimitSettings);
const waiting = createWaitingRequests({ limits, usage: createTenantUsage(new Registry(), limits) });
/** The number of the tenant's requests that wait for their group to begin. */
let waitingOf = (_tenant: string): number => 0;

let api: OpenApi;
beforeAll(async () => {
  api = await openApi({
    clock: systemClock,
    waiting: {
      ...waiting,
      show: (source) => void (waitingOf = (tenant) => new Map(source()).get(tenant) ?? 0),
    },
  });
});
afterAll(() => api.close());

interface Given {
  type?: string;
  payload?: unknown;
  event_id?: string;
  ordering_key?: string;
  key?: string;
}

const publish = (tenant: string, { key, ...body }: Given): Promise<Answer> =>
  api.ask({
    method: 'POST',
    path: '/v1/events',
    tenant,
    body: { type: 'a', payload: {}, ...body },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
const idOf = (answer: Answer | undefined): string => answer?.json<{ id: string }>().id ?? '';
const idsOf = (answers: readonly Answer[]): string[] => answers.map(idOf);
const statusesOf = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);

/** Asks for all of these, in this order, while a transaction of the tenant waits for its clock: they are the group behind that. */
async function askInOneGroup(tenant: string, given: readonly Given[]): Promise<Answer[]> {
  expect((await publish(tenant, {})).status).toBe(202);
  const answers: Promise<Answer>[] = [];
  let blocked: Promise<Answer> | undefined;
  await api.postgres.transaction(async (tx) => {
    await tx.query('SELECT FROM tenant_clocks WHERE tenant = $1 FOR UPDATE', [tenant]);
    blocked = publish(tenant, {});
    const blockedSql = 'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
    await waitUntil('one waits for the clock', async () => (await tx.query(blockedSql)).length > 0, { everyMs: 2 });
    for (const one of given) {
      const before = waitingOf(tenant);
      let isAnswered = false;
      answers.push(publish(tenant, one).finally(() => (isAnswered = true)));
      await waitUntil('it waits, or is answered', () => waitingOf(tenant) > before || isAnswered, { everyMs: 2 });
    }
  });
  expect((await blocked)?.status).toBe(202);
  return Promise.all(answers);
}

interface Row {
  id: string;
  updated_at: string;
  /** The transaction that wrote it. */
  xmin: string;
}

const eventsOf = (tenant: string): Promise<Row[]> =>
  api.postgres.query<Row>('SELECT id, updated_at, xmin::text FROM events WHERE tenant = $1 ORDER BY updated_at', [
    tenant,
  ]);
const transactionsOf = (rows: readonly Row[], ids: readonly string[]): number =>
  new Set(rows.filter(({ id }) => ids.includes(id)).map(({ xmin }) => xmin)).size;

test('requests during a transaction of their tenant are published in one, in the order in which it came', async () => {
  const tenant = 'together';
  const answers = await askInOneGroup(
    tenant,
    Array.from({ length: 30 }, (_, n) => ({
      payload: { n },
      ordering_key: 'k',
      ...(n % 2 === 0 && { key: `key ${n}` }),
    })),
  );
  expect(new Set(statusesOf(answers))).toEqual(new Set([202]));
  const ids = idsOf(answers);
  const rows = await eventsOf(tenant);
  expect(transactionsOf(rows, ids)).toBe(1);
  expect(rows.slice(2).map(({ id }) => id)).toEqual(ids);
  expect(new Set(rows.map(({ updated_at }) => updated_at)).size).toBe(32);
  const outbox = await api.postgres.query<{ event_id: string }>(
    'SELECT event_id FROM outbox WHERE tenant = $1 AND ordering_key IS NOT NULL ORDER BY sequence',
    [tenant],
  );
  expect(outbox.map(({ event_id }) => event_id)).toEqual(ids);
  for (const [n, id] of ids.entries())
    expect((await api.ask({ path: `/v1/events/${id}`, tenant })).json()).toMatchObject({ id, payload: { n } });
  const again = await publish(tenant, { payload: { n: 0 }, ordering_key: 'k', key: 'key 0' });
  expect([again.status, isReplay(again), idOf(again)]).toEqual([202, true, ids[0]]);
});

test('a key that comes twice in one group is one event: the second is told that the first is in progress', async () => {
  const tenant = 'same-key';
  const answers = await askInOneGroup(tenant, [
    { key: 'k' },
    { key: 'other' },
    { key: 'k' },
    { key: 'k', payload: 'another' },
  ]);
  expect(statusesOf(answers)).toEqual([202, 202, 409, 409]);
  expect(answers[2]?.json()).toMatchObject({ code: 'idempotency_in_progress' });
  expect(answers[2]?.headers['retry-after']).toBe('1');
  const again = await publish(tenant, { key: 'k' });
  expect([again.status, isReplay(again), idOf(again)]).toEqual([202, true, idOf(answers[0])]);
  expect((await publish(tenant, { key: 'k', payload: 'another' })).status).toBe(422);
  expect(await eventsOf(tenant)).toHaveLength(4);
});

test('an identifier that comes more than once in one group is one event: all are answered with its id', async () => {
  const tenant = 'same-identifier';
  const known = await publish(tenant, { event_id: 'known', payload: 'first' });
  const answers = await askInOneGroup(tenant, [
    { event_id: 'new', payload: 1, key: 'k' },
    { event_id: 'new', payload: 2 },
    { event_id: 'known', payload: 3 },
    { event_id: 'new', payload: 4, key: 'l' },
  ]);
  const [id = ''] = idsOf(answers);
  expect(idsOf(answers)).toEqual([id, id, idOf(known), id]);
  expect(await eventsOf(tenant)).toHaveLength(4);
  expect((await api.ask({ path: `/v1/events/${id}`, tenant })).json()).toMatchObject({ payload: 1 });
  const rows = await api.postgres.query('SELECT FROM outbox WHERE tenant = $1 AND event_id = $2', [tenant, id]);
  expect(rows).toHaveLength(1);
  const again = await publish(tenant, { event_id: 'new', payload: 4, key: 'l' });
  expect([isReplay(again), idOf(again)]).toEqual([true, id]);
});

test('one that fails on its data fails alone: those of its group are published, each by itself', async () => {
  const tenant = 'poisoned';
  await api.postgres.query(`
    CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'poison' USING ERRCODE = 'data_exception'; END $$`);
  await api.postgres.query(`
    CREATE TRIGGER poison BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.type = 'poison') EXECUTE FUNCTION refuse_poison()`);
  const answers = await askInOneGroup(tenant, [
    { key: 'a' },
    { type: 'poison', key: 'poison' },
    { payload: 'unkeyed' },
    { event_id: 'identified', key: 'b' },
    { type: 'poison' },
  ]);
  expect(statusesOf(answers)).toEqual([202, 500, 202, 202, 500]);
  const well = idsOf(answers.filter(({ status }) => status === 202));
  const rows = await eventsOf(tenant);
  expect(rows).toHaveLength(2 + 3);
  expect(transactionsOf(rows, well)).toBe(3);
  for (const key of ['a', 'b']) {
    const again = await publish(tenant, { key, ...(key === 'b' && { event_id: 'identified' }) });
    expect([again.status, isReplay(again)]).toEqual([202, true]);
  }
  // A failure is not kept: the next try runs.
  await api.postgres.query('DROP TRIGGER poison ON events');
  const mended = await publish(tenant, { type: 'poison', key: 'poison' });
  expect([mended.status, isReplay(mended)]).toEqual([202, false]);
});

test('a key that was answered before, or used for another request, is answered by its record beside a group of new ones', async () => {
  const tenant = 'known-keys';
  const first = await publish(tenant, { key: 'known' });
  const answers = await askInOneGroup(tenant, [{ key: 'new' }, { key: 'known' }, { key: 'known-too', payload: 1 }]);
  expect(statusesOf(answers)).toEqual([202, 202, 202]);
  expect([isReplay(answers[1] as Answer), idOf(answers[1])]).toEqual([true, idOf(first)]);
  const [other] = await askInOneGroup(tenant, [{ key: 'known-too', payload: 2 }]);
  expect([other?.status, other?.json<{ code: string }>().code]).toEqual([422, 'idempotency_key_reused']);
});

test('a hundred at once take a handful of transactions', async () => {
  const tenant = 'hundred';
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => publish(tenant, n % 3 === 0 ? {} : { key: `k${n}` })),
  );
  expect(new Set(statusesOf(answers))).toEqual(new Set([202]));
  const rows = await eventsOf(tenant);
  expect(new Set(idsOf(answers))).toEqual(new Set(rows.map(({ id }) => id)));
  expect(transactionsOf(rows, idsOf(answers))).toBeLessThan(30);
});
