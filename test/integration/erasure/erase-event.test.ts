/** One event, and many by a filter, erased over the API: what is left of them, who is told, and what a process that dies leaves. */
import { randomUUID } from 'node:crypto';
import { createId, derivedId, noCrashPoints, systemClock } from '#lib/runtime';
import type { ErasureRow } from '../../../services/api/erasures/erasure-row.ts';
import { guardingStatements } from '../../../services/projector/write-batch.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { createStore } from '../../../services/projector/store.ts';
import { duplicateFact, eventFact, fanOutFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';
import { project } from '../projector/projection.ts';
import { deliveryDeadLetter } from '../replay-store/dead-deliveries.ts';
import { advance, lease, stepsOver, workOff } from './erasing-api.ts';
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

const newEvent = (tenant: string): Named => {
  const marker = `marker-${randomUUID()}`;
  return { tenant, eventId: createId('evt', startAt / 1000), marker };
};

/** An event stays counted, by the name of its type. */
const counted = ['stat_types.type', 'stats.key'];

/** All that can be there of an event: attempts, dead letters, duplicates, rows that wait, in an order and without. */
function factsOf({ tenant, eventId, marker }: Named, more: { type?: string } = {}): Fact[] {
  const event = { tenant, eventId };
  const of = (endpointId: string): string => derivedId('dlv', startAt / 1000, [eventId, endpointId]);
  const endpoints = ['ep_done', 'ep_waits', 'ep_parked', 'ep_pending', 'ep_dead'];
  const marked = (fact: Fact): Fact => {
    if (fact.kind === 'fan-out') {
      const deliveries = fact.fanOut.deliveries.map(({ endpoint_id }) => ({
        endpoint_id,
        delivery_id: of(endpoint_id),
      }));
      return { ...fact, fanOut: { ...fact.fanOut, deliveries } };
    }
    if (fact.kind === 'duplicate') return { ...fact, duplicate: { ...fact.duplicate, client_address: marker } };
    if (fact.kind !== 'outcome') return fact;
    const delivery_id = of(fact.outcome.endpoint_id);
    if (fact.outcome.kind !== 'attempted') return { ...fact, outcome: { ...fact.outcome, delivery_id } };
    const exchange = {
      request: { method: 'POST', url: 'https://receiver.test/', headers: { 'x-own': marker } },
      response_headers: { 'x-echo': marker },
      response_excerpt: Buffer.from(marker),
      detail: `answered ${marker}`,
    };
    return { ...fact, outcome: { ...fact.outcome, ...exchange, delivery_id } };
  };
  const deadLetter = deliveryDeadLetter(tenant, eventId, 'ep_dead') as Extract<Fact, { kind: 'dead_letter' }>;
  return [
    eventFact(event, {
      receipt_id: createId('rcp', startAt / 1000),
      event_id: marker,
      ordering_key: marker,
      payload: Buffer.from(JSON.stringify({ marker })),
      request: {
        method: 'POST',
        path: `/v1/webhooks/src_1?${marker}`,
        client_address: marker,
        truncated: false,
        headers: [{ name: 'X-Own', value: marker }],
      },
      tags: { customer: marker },
      type: more.type ?? `type of ${marker}`,
    }),
    fanOutFact(event, endpoints),
    outcomeFact(event, 'ep_done', 1, 'delivered'),
    outcomeFact(event, 'ep_waits', 1, 'retrying'),
    outcomeFact(event, 'ep_parked', 1, 'parked'),
    outcomeFact(event, 'ep_dead', 1, 'dead_lettered'),
    {
      ...deadLetter,
      deadLetter: {
        ...deadLetter.deadLetter,
        origin: of('ep_dead'),
        delivery_id: of('ep_dead'),
        headers: Buffer.from(marker),
        key: Buffer.from(marker),
        value: Buffer.from(marker),
      },
    } satisfies Fact,
    duplicateFact(event, { origin: `dup-${eventId}`, payload: marker }),
  ].map((fact) => marked(fact));
}

const erase = async (event: Named) => {
  const answer = await api.ask({ method: 'DELETE', path: `/v1/events/${event.eventId}`, tenant: event.tenant });
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  return answer.json<{ id: string; status: string; events: number; removed: Record<string, number> }>();
};
const read = async (path: string, tenant: string) => api.ask({ path, tenant });
const list = async (query: string, tenant: string) =>
  (await read(`/v1/events?${query}`, tenant)).json<Record<string, unknown>[]>();

describe('an event that is erased', () => {
  test('is its id, its status and its times from the answer on, and nothing of it is in any table', async () => {
    const tenant = 'one';
    const [event, other] = [newEvent(tenant), newEvent(tenant)];
    await project(api.postgres, factsOf(event));
    await project(api.postgres, factsOf(other));
    const before = (await read(`/v1/events/${event.eventId}`, tenant)).json<{
      updated_at: string;
      received_at: string;
    }>();
    const untouched = await columnsWith(api.postgres, other.marker);
    expect(await columnsWith(api.postgres, event.marker)).toEqual(untouched);
    expect(untouched).toEqual(
      expect.arrayContaining([
        ...['attempts_default.response_excerpt', 'dead_letters.value', 'deliveries.last_detail', 'events.event_id'],
        ...['event_payloads_default.request', 'event_tags.tag', 'events.tags', 'receipts.client_address', ...counted],
      ]),
    );

    const receipt = await erase(event);
    expect(await columnsWith(api.postgres, event.marker)).toEqual(counted);
    expect(await columnsWith(api.postgres, other.marker)).toEqual(untouched);
    const left = (await read(`/v1/events/${event.eventId}`, tenant)).json<{ updated_at: string }>();
    expect(left).toEqual({
      id: event.eventId,
      status: 'erased',
      received_at: before.received_at,
      updated_at: expect.any(String) as string,
    });
    expect(left.updated_at > before.updated_at).toBe(true);
    for (const part of ['payload', 'request', 'matching'])
      expect([part, await read(`/v1/events/${event.eventId}/${part}`, tenant)]).toMatchObject([part, { status: 410 }]);
    expect((await read(`/v1/events/${event.eventId}/receipts`, tenant)).status).toBe(410);
    const deliveries = (await read(`/v1/events/${event.eventId}/deliveries`, tenant)).json<{ status: string }[]>();
    expect(deliveries.map(({ status }) => status).sort()).toEqual([
      ...['cancelled', 'cancelled', 'cancelled', 'dead_lettered', 'delivered'],
    ]);
    expect(receipt).toMatchObject({ status: 'running', events: 1 });
    expect(receipt.removed).toMatchObject({ event_payloads: 1, attempts: 3, dead_letters: 1, receipts: 2, waiting: 2 });
    expect(
      await api.postgres.query('SELECT FROM waiting WHERE tenant = $1 AND event_id = $2', [tenant, event.eventId]),
    ).toEqual([]);
    expect((await erase(event)).id).toBe(receipt.id);
  });

  test('has a receipt with the dates of Kafka once it is confirmed', async () => {
    const event = newEvent('dates');
    await project(api.postgres, factsOf(event));
    const { id } = await erase(event);
    const done = await workOff(api, 'dates', id);
    const answer = (await read(`/v1/erasures/${id}`, 'dates')).json<Record<string, unknown>>();
    expect(answer).toMatchObject({ id, status: 'completed', events: 1, event_id: event.eventId, kafka: done.kafka });
    expect(done.kafka?.map(({ topic }) => topic)).toEqual(['events', 'dead-letters']);
    const inDays = (Date.parse(done.kept_until ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(inDays)).toBe(30);
    expect(await api.postgres.query('SELECT FROM erased WHERE names IS NOT NULL AND erasure_id = $1', [id])).toEqual(
      [],
    );
  });

  test.each([
    ['none', ''],
    ['of another status', 'status=dead_lettered&'],
    ['of another type', 'type=other&'],
    ['of another source', 'source_id=src_other&'],
    ['of another receipt', `receipt_id=${createId('rcp', startAt / 1000)}&`],
    ['of another identifier', 'event_id=other&'],
    ['of another tag', 'tag=customer:other&'],
  ])('is told to every poller, once, whatever its filter: %s', async (_, filter) => {
    const tenant = `polled-${randomUUID()}`;
    const event = newEvent(tenant);
    await project(api.postgres, factsOf(event));
    const first = await read(`/v1/events?${filter}`, tenant);
    const cursor = first.headers['hookline-cursor'];
    await erase(event);
    const next = await read(`/v1/events?${filter}cursor=${cursor}`, tenant);
    expect(next.json()).toEqual([expect.objectContaining({ id: event.eventId, status: 'erased' })]);
    expect(Object.keys(next.json<object[]>()[0] ?? {}).sort()).toEqual(['id', 'received_at', 'status', 'updated_at']);
    expect(await list(`${filter}cursor=${next.headers['hookline-cursor']}`, tenant)).toEqual([]);
  });

  test('stays erased when all its records come again, in any order, and duplicates that come later leave nothing', async () => {
    const tenant = 'again';
    const event = newEvent(tenant);
    await project(api.postgres, factsOf(event));
    const { id } = await erase(event);
    const left = (await read(`/v1/events/${event.eventId}`, tenant)).json();
    for (const facts of [factsOf(event), factsOf(event).reverse(), ...factsOf(event).map((fact) => [fact])])
      await project(api.postgres, facts);
    const late = [
      duplicateFact(event, { origin: 'late-1', payload: event.marker }),
      duplicateFact(event, { origin: 'late-2', payload: event.marker, named: 'by its id’s end' }),
    ];
    await project(api.postgres, late);
    await workOff(api, tenant, id);
    await project(api.postgres, [...factsOf(event), ...late]);
    expect((await read(`/v1/events/${event.eventId}`, tenant)).json()).toEqual(left);
    expect(await columnsWith(api.postgres, event.marker)).toEqual(counted);
    for (const table of ['receipts', 'attempts', 'waiting', 'dead_letters', 'event_payloads'])
      expect([table, await api.postgres.query(`SELECT FROM ${table} WHERE tenant = $1`, [tenant])]).toEqual([
        table,
        [],
      ]);
  });

  test('of which the tables know the mark alone, as after a restore, is not written from Kafka', async () => {
    const event = newEvent('restored');
    await api.postgres.query(`INSERT INTO erased (tenant, id, erasure_id) VALUES ($1, $2, 'ers_1')`, [
      event.tenant,
      event.eventId,
    ]);
    await project(api.postgres, factsOf(event));
    expect(await columnsWith(api.postgres, event.marker)).toEqual([]);
    expect(await api.postgres.query('SELECT FROM deliveries WHERE event_id = $1', [event.eventId])).toEqual([]);
  });

  test('has no payload or attempt written ahead of the clock, even when its own row is gone', async () => {
    const event = newEvent('ahead');
    const facts = factsOf(event);
    await project(api.postgres, facts);
    await erase(event);
    await api.postgres.query('DELETE FROM events WHERE tenant = $1', [event.tenant]);
    const store = createStore({
      postgres: api.postgres,
      ahead: api.postgres,
      partitionOf: () => 1,
      crashPoints: noCrashPoints,
      // A clock at the time of the facts: old rows are not written ahead.
      clock: { ...systemClock, nowMs: () => startAt / 1000 },
    });
    await store.prepare(facts);
    expect(await columnsWith(api.postgres, event.marker)).toEqual(counted);
  });

  test('a projector that does not ask for what was erased would bring it back', async () => {
    const event = newEvent('mutant');
    await project(api.postgres, factsOf(event));
    await erase(event);
    await project(api.postgres, factsOf(event), { ...guardingStatements, findErasedRows: async () => undefined });
    expect(await columnsWith(api.postgres, event.marker)).toContain('receipts.client_address');
  });

  test('of another tenant is as one that never was, and needs the scope admin', async () => {
    const event = newEvent('theirs');
    await project(api.postgres, factsOf(event));
    const ask = (path: string, method = 'DELETE') => api.ask({ method: method, path, tenant: 'ours' });
    const never = createId('evt', startAt / 1000);
    const [theirs, none] = [await ask(`/v1/events/${event.eventId}`), await ask(`/v1/events/${never}`)];
    expect([theirs.status, theirs.text]).toEqual([404, none.text]);
    const { id } = await erase(event);
    const [receipt, noReceipt] = [
      await ask(`/v1/erasures/${id}`, 'GET'),
      await ask(`/v1/erasures/${createId('ers', startAt / 1000)}`, 'GET'),
    ];
    expect([receipt.status, receipt.text]).toEqual([404, noReceipt.text]);
    const { key } = (
      await api.ask({
        method: 'POST',
        path: '/v1/api-keys',
        body: { name: 'w', scopes: ['write', 'read'] },
        tenant: 'theirs',
      })
    ).json<{ key: string }>();
    const headers = { authorization: `Bearer ${key}` };
    expect(await api.ask({ method: 'DELETE', path: `/v1/events/${event.eventId}`, headers })).toMatchObject({
      status: 403,
    });
    expect(await api.ask({ path: `/v1/erasures/${id}`, headers })).toMatchObject({ status: 403 });
    const dryRun = { method: 'POST', path: '/v1/erasures', headers } as const;
    expect(await api.ask({ ...dryRun, body: { filter: { type: 'x' }, dry_run: true } })).toMatchObject({ status: 202 });
    expect(await api.ask({ ...dryRun, body: { filter: { type: 'x' } } })).toMatchObject({ status: 403 });
  });
});

describe('an erasure by filter', () => {
  const ask = (body: object, tenant: string) => api.ask({ method: 'POST', path: '/v1/erasures', body, tenant });
  const dryRun = async (filter: object, tenant: string) =>
    (await ask({ filter, dry_run: true }, tenant)).json<{ matched: number; as_of: string }>();

  test('takes what its dry run has shown, and nothing later', async () => {
    const tenant = 'bulk';
    const events = Array.from({ length: 250 }, () => newEvent(tenant));
    const others = Array.from({ length: 5 }, () => newEvent(tenant));
    for (const event of events)
      await project(api.postgres, [eventFact(event, { type: 'a', payload: Buffer.from(event.marker) })]);
    for (const event of others) await project(api.postgres, factsOf(event, { type: 'b' }));
    const { matched, as_of } = await dryRun({ type: 'a' }, tenant);
    expect(matched).toBe(250);
    const later = newEvent(tenant);
    await project(api.postgres, [eventFact(later, { type: 'a', received_at: (Date.now() + 60_000) * 1_000 })]);

    const begun = await ask({ filter: { type: 'a' }, as_of }, tenant);
    expect(begun.status).toBe(202);
    const { id, filtered_by } = begun.json<{ id: string; filtered_by: string[] }>();
    expect(filtered_by).toEqual(['type']);
    const done = await workOff(api, tenant, id);
    expect(done).toMatchObject({ events: 250, filter: null });
    const statuses = await api.postgres.query<{ status: string; n: number }>(
      `SELECT status, count(*)::int AS n FROM events WHERE tenant = $1 GROUP BY status ORDER BY status`,
      [tenant],
    );
    expect(statuses).toContainEqual({ status: 'erased', n: 250 });
    expect((await read(`/v1/events/${later.eventId}`, tenant)).json()).toMatchObject({ type: 'a' });
    for (const { marker } of events.slice(0, 3)) expect(await columnsWith(api.postgres, marker)).toEqual([]);
  });

  test('takes events by their tags: those that have all of them', async () => {
    const tenant = 'tagged';
    const [taken, left] = [newEvent(tenant), newEvent(tenant)];
    await project(api.postgres, [
      eventFact(taken, { tags: { customer: taken.marker, of: 'all' } }),
      eventFact(left, { tags: { customer: left.marker, of: 'all' } }),
    ]);
    const filter = { tag: ['of:all', `customer:${taken.marker}`] };
    const { matched, as_of } = await dryRun(filter, tenant);
    expect(matched).toBe(1);
    const { id } = (await ask({ filter, as_of }, tenant)).json<{ id: string }>();
    expect(await workOff(api, tenant, id)).toMatchObject({ events: 1, filter: null });
    expect((await list('tag=of:all&', tenant)).map((event) => event['status'])).toEqual(['received', 'erased']);
    expect(await columnsWith(api.postgres, taken.marker)).toEqual([]);
  });

  test('takes events by the identifiers of their senders, whatever form those have', async () => {
    const tenant = 'identified';
    const publish = async (event_id: string) =>
      (await api.ask({ method: 'POST', path: '/v1/events', body: { type: 'a', payload: {}, event_id }, tenant })).json<{
        id: string;
      }>().id;
    for (const identifier of ['cus_1/order 7', '42', `${'long '.repeat(40)}é`]) {
      const [taken, left] = [await publish(identifier), await publish(`${identifier} too`)];
      const { event_id } = (await read(`/v1/events/${taken}`, tenant)).json<{ event_id: string }>();
      const filter = { event_id, source_id: 'api' };
      const { matched, as_of } = await dryRun(filter, tenant);
      expect([identifier, matched]).toEqual([identifier, 1]);
      const { id } = (await ask({ filter, as_of }, tenant)).json<{ id: string }>();
      expect(await workOff(api, tenant, id)).toMatchObject({ events: 1 });
      const statusOf = async (event: string) =>
        (await read(`/v1/events/${event}`, tenant)).json<{ status: string }>().status;
      expect([await statusOf(taken), await statusOf(left)]).toEqual(['erased', 'received']);
    }
  });

  test('needs an as_of of this tenant and filter', async () => {
    const { as_of } = await dryRun({ type: 'a' }, 'bound');
    const refused = async (body: object, tenant = 'bound') => {
      const answer = await ask(body, tenant);
      return [answer.status, answer.json<{ errors?: { field: string }[] }>().errors?.[0]?.field];
    };
    expect(await refused({ filter: { type: 'a' } })).toEqual([400, '/as_of']);
    expect(await refused({ filter: { type: 'b' }, as_of })).toEqual([400, '/as_of']);
    expect(await refused({ filter: { type: 'a' }, as_of }, 'another')).toEqual([400, '/as_of']);
    expect(
      await refused({
        filter: { type: 'a' },
        as_of: `${as_of.slice(0, 9)}${as_of[9] === 'a' ? 'b' : 'a'}${as_of.slice(10)}`,
      }),
    ).toEqual([400, '/as_of']);
    expect(await refused({ filter: {} })).toEqual([400, '/filter']);
    expect(await refused({ filter: { status: 'completed' }, dry_run: true })).toEqual([400, '/filter/status']);
    expect(await refused({ filter: { type: 'a' }, as_of, more: 1 })).toEqual([400, '/more']);
  });

  test('is finished by another process, wherever the first one dies', async () => {
    const tenant = 'killed';
    const events = Array.from({ length: 230 }, () => newEvent(tenant));
    for (const event of events) await project(api.postgres, factsOf(event, { type: 'a' }));
    const { as_of } = await dryRun({ type: 'a' }, tenant);
    const { id } = (await ask({ filter: { type: 'a' }, as_of }, tenant)).json<{ id: string }>();
    for (const point of ['erasure.after-mark', 'erasure.after-removal', 'erasure.before-completion']) {
      const dies = stepsOver(api, {
        crashPoints: {
          reach(reached) {
            if (reached === point) throw new Error('killed');
          },
        },
      });
      await expect(workOff(api, tenant, id, dies)).rejects.toThrow('killed');
    }
    const done = await workOff(api, tenant, id);
    expect(done.events).toBe(230);
    for (const { marker } of [events[0], events[229]].filter((event) => event !== undefined))
      expect(await columnsWith(api.postgres, marker)).toEqual([]);
  });

  test('is not worked on by a process whose lease is over', async () => {
    const event = newEvent('fenced');
    await project(api.postgres, factsOf(event));
    const { id } = await erase(event);
    const first = await lease(api, 'first', id);
    await lease(api, 'second', id);
    expect(await advance(api.postgres, first, 'first')).toBeUndefined();
    expect(await stepsOver(api)(first, 'first')).toBeUndefined();
  });

  test('is not confirmed before every transaction from before the last mark has ended', async () => {
    const event = newEvent('settled');
    await project(api.postgres, factsOf(event));
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const old = api.postgres.transaction(async (tx) => {
      await tx.query(`INSERT INTO unjudged_filters VALUES ('settled', 'ep_1', 'payload', now())`);
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    const { id } = await erase(event);
    const step = stepsOver(api);
    let erasure: ErasureRow | 'wait' | undefined = await lease(api, 'me', id);
    while (erasure !== undefined && erasure !== 'wait' && erasure.state === 'marking')
      erasure = await step(erasure, 'me');
    const confirming = erasure as ErasureRow;
    await api.postgres.query('UPDATE erasures SET settles_at = clock_timestamp() WHERE id = $1', [id]);
    expect(await step(confirming, 'me')).toBe('wait');
    held.resolve();
    await old;
    expect(await step(confirming, 'me')).toMatchObject({ state: 'confirming' });
  });
});
