/**
 * Rows that are written without the tenant's clock, in every order with the mark and the removal: ahead of its delivery or event, whose row the
 * mark then keeps from ever being written.
 */
import { randomUUID } from 'node:crypto';
import { tenantTables } from '#lib/erasure';
import { createId, derivedId, noCrashPoints, systemClock } from '#lib/runtime';
import { advance, type ErasureRow } from '../../../services/api/erasures/erasure-row.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { createStore } from '../../../services/projector/store.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';
import { lease, stepsOver, workOff } from './erasing-api.ts';
import { columnsWith } from './find-marker.ts';

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

interface Named {
  tenant: string;
  eventId: string;
  marker: string;
}

const nowMicros = Date.now() * 1_000;

const newEvent = (tenant: string): Named => ({
  tenant,
  eventId: createId('evt', nowMicros / 1_000),
  marker: `marker-${randomUUID()}`,
});

/** An event stays counted by the name of its type, which has no marker here. */
const arrival = (event: Named, receivedAt = nowMicros): Fact[] => [
  eventFact(event, { payload: Buffer.from(event.marker), event_id: event.marker, received_at: receivedAt }),
  fanOutFact(event, ['ep_1']),
];

/** The first attempt of a replay's delivery, which no row tells of yet. */
function replayed({ tenant, eventId, marker }: Named): Fact {
  const fact = outcomeFact({ tenant, eventId }, 'ep_1', 1, 'retrying', { generation: 1 });
  if (fact.kind !== 'outcome' || fact.outcome.kind !== 'attempted') throw new Error('nothing was sent');
  return {
    ...fact,
    outcome: {
      ...fact.outcome,
      delivery_id: derivedId('dlv', nowMicros / 1_000, [eventId, 'ep_1', '1']),
      response_headers: { 'x-echo': marker },
    },
  };
}

const openStore = () =>
  createStore({
    postgres: api.postgres,
    ahead: api.postgres,
    partitionOf: () => 1,
    clock: systemClock,
    crashPoints: noCrashPoints,
  });

async function write(facts: readonly Fact[], store = openStore()): Promise<void> {
  await store.prepare(facts);
  await store.commitWaiting(facts);
}

const erase = async ({ tenant, eventId }: Named): Promise<string> => {
  const answer = await api.ask({ method: 'DELETE', path: `/v1/events/${eventId}`, tenant });
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  return answer.json<{ id: string }>().id;
};

const deleteTenant = async ({ tenant }: Named): Promise<string> => {
  const answer = await api.ask({ method: 'DELETE', path: `/v1/tenants/${tenant}?confirm=${tenant}` });
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  return answer.json<{ id: string }>().id;
};

const erasures = { event: erase, tenant: deleteTenant };
const kinds = ['event', 'tenant'] as const;

const rowsOf = async ({ tenant }: Named): Promise<string[]> => {
  const found: string[] = [];
  for (const [table, { deletion }] of Object.entries(tenantTables))
    if (
      deletion === 'removed' &&
      (await api.postgres.query(`SELECT FROM ${table} WHERE tenant = $1`, [tenant])).length > 0
    )
      found.push(table);
  return found;
};

describe.each(kinds)('of an erased %s, when its receipt says completed', (kind) => {
  test('no attempt is left that was written ahead of the mark, of a delivery whose row never came', async () => {
    const event = newEvent(`attempt-${kind}`);
    await write(arrival(event));
    const store = openStore();
    const facts = [replayed(event)];
    await store.prepare(facts);
    expect(await columnsWith(api.postgres, event.marker)).toContain('attempts_default.response_headers');
    const id = await erasures[kind](event);
    await store.commitWaiting(facts);
    await workOff(api, event.tenant, id);
    expect(await columnsWith(api.postgres, event.marker)).toEqual([]);
    if (kind === 'tenant') expect(await rowsOf(event)).toEqual([]);
  });

  test('no attempt is left of a projector that died before it could see the mark', async () => {
    const event = newEvent(`dead-${kind}`);
    await write(arrival(event));
    await openStore().prepare([replayed(event)]);
    await workOff(api, event.tenant, await erasures[kind](event));
    expect(await columnsWith(api.postgres, event.marker)).toEqual([]);
  });

  test('no payload is left of a second record of the event, received at another time', async () => {
    const event = newEvent(`payload-${kind}`);
    const [first, second] = [openStore(), openStore()];
    const [one, two] = [arrival(event), arrival(event, nowMicros + 5_000)];
    await Promise.all([first.prepare(one), second.prepare(two)]);
    await first.commitWaiting(one);
    const id = await erasures[kind](event);
    await second.commitWaiting(two);
    await workOff(api, event.tenant, id);
    expect(await columnsWith(api.postgres, event.marker)).toEqual([]);
  });

  test('nothing is left of a statement that asked before the mark and writes after the removal', async () => {
    const event = newEvent(`late-${kind}`);
    await write(arrival(event));
    const facts = [replayed(event)];
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    // The same row of another, who takes it back: the statement waits for it with its answer about the mark.
    const blocker = api.postgres
      .transaction(async (tx) => {
        await openStoreIn(tx).prepare(facts);
        begun.resolve();
        await held.promise;
        throw new Error('taken back');
      })
      .catch(() => undefined);
    await begun.promise;
    const written = openStore().prepare(facts);
    await waitUntil('the statement waits', async () => {
      const waiting = await api.postgres.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    const id = await erasures[kind](event);
    const step = stepsOver(api);
    let erasure: ErasureRow | 'wait' | undefined = await lease(api, 'me', id);
    while (erasure !== undefined && erasure !== 'wait' && erasure.state !== 'confirming')
      erasure = await step(erasure, 'me');
    await api.postgres.query('UPDATE erasures SET settles_at = clock_timestamp() WHERE id = $1', [id]);
    expect(await step((await advance(api.postgres, erasure as ErasureRow, 'me')) as ErasureRow, 'me')).toBe('wait');
    held.resolve();
    await Promise.all([blocker, written]);
    expect(await columnsWith(api.postgres, event.marker)).toContain('attempts_default.response_headers');
    await workOff(api, event.tenant, id);
    expect(await columnsWith(api.postgres, event.marker)).toEqual([]);
  });
});

test('a request that was let in before its tenant was deleted writes nothing after the receipt says completed', async () => {
  // This API has no view of what was erased: it lets every request in.
  const event = newEvent('let-in');
  const { tenant } = event;
  const body = { type: 'one', payload: event.marker, event_id: event.marker };
  expect((await api.ask({ method: 'POST', path: '/v1/events', body, tenant })).status).toBe(202);
  await workOff(api, tenant, await deleteTenant(event));
  const keyed = { 'idempotency-key': randomUUID() };
  const endpoint = { url: 'https://receiver.test/' };
  for (const request of [
    { path: '/v1/events', body },
    { path: '/v1/events', body, headers: keyed },
    { path: '/v1/events', body: { type: 'one', payload: event.marker } },
    { path: '/v1/endpoints', body: endpoint },
    { path: '/v1/endpoints', body: endpoint, headers: { 'idempotency-key': randomUUID() } },
    { path: '/v1/sources', body: { name: 's', scheme: 'hookline' } },
    { path: '/v1/api-keys', body: { name: 'k', scopes: ['read'] } },
    { path: '/v1/event-types', body: { name: 'order.paid' } },
  ]) {
    const answer = await api.ask({ method: 'POST', tenant, ...request });
    expect([request.path, answer.status, answer.text]).toEqual([request.path, 503, answer.text]);
  }
  expect(await rowsOf(event)).toEqual([]);
  expect(await columnsWith(api.postgres, event.marker)).toEqual([]);
});

/** Writes ahead within this transaction. */
const openStoreIn = (tx: Pick<OpenApi['postgres'], 'query'>) =>
  createStore({
    postgres: api.postgres,
    partitionOf: () => 1,
    clock: systemClock,
    crashPoints: noCrashPoints,
    ahead: { transaction: (work) => work(tx) },
  });
