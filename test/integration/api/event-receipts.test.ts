import { createId } from '#lib/runtime';
import { duplicateFact, eventFact, startAt } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';

const tenant = 'arrived';
let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

interface Receipt {
  id: string;
  received_at: string;
  client_address: string | null;
  kind: string;
  same_bytes: boolean;
}

async function receiptsOf(eventId: string, limit = 100): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for (let path: string | undefined = `/v1/events/${eventId}/receipts?limit=${limit}`; path !== undefined;) {
    const answer = await api.ask({ path, tenant });
    expect([answer.text, answer.status]).toEqual([answer.text, 200]);
    receipts.push(...answer.json<Receipt[]>());
    path = nextPath(answer.headers['link']);
  }
  return receipts;
}

/** An event, and arrivals a second after each other: what differs from it, and from where they came. */
async function receive(arrivals: readonly { payload?: string; from?: string | null }[]): Promise<string> {
  const eventId = createId('evt', startAt / 1_000);
  const named = { tenant, eventId };
  await project(api.postgres, [eventFact(named, { receipt_id: createId('rcp', startAt / 1_000) })]);
  for (const [n, { payload, from }] of arrivals.entries()) {
    const receivedAt = startAt + (n + 1) * 1_000_000;
    const fact = duplicateFact(named, {
      origin: `${eventId}-${n}`,
      receivedAt,
      ...(payload !== undefined && { payload }),
    });
    if (fact.kind !== 'duplicate') throw new Error('no duplicate');
    const more = {
      receipt_id: createId('rcp', receivedAt / 1_000),
      ...(from !== undefined && { client_address: from }),
    };
    await project(api.postgres, [{ ...fact, duplicate: { ...fact.duplicate, ...more } }]);
  }
  return eventId;
}

test('each arrival of an event is there, oldest first, with its time, its address, and whether its bytes are the same', async () => {
  const eventId = await receive([{ from: '192.0.2.7' }, { payload: 'other', from: '2001:db8::1' }]);
  const receipts = await receiptsOf(eventId);
  expect(receipts).toMatchObject([
    { kind: 'first', same_bytes: true, received_at: '2026-01-01T00:00:00.000000Z' },
    { kind: 'duplicate', same_bytes: true, client_address: '192.0.2.7', received_at: '2026-01-01T00:00:01.000000Z' },
    { kind: 'duplicate', same_bytes: false, client_address: '2001:db8::1' },
  ]);
  expect(new Set(receipts.map(({ id }) => id)).size).toBe(3);
});

test('the first arrival has the address of its request, as long as that is kept', async () => {
  const named = { tenant, eventId: createId('evt', startAt / 1_000) };
  const request = { method: 'POST', path: '/', client_address: '198.51.100.7', headers: [], truncated: false };
  await project(api.postgres, [eventFact(named, { receipt_id: createId('rcp', startAt / 1_000), request })]);
  expect(await receiptsOf(named.eventId)).toMatchObject([{ kind: 'first', client_address: '198.51.100.7' }]);
  await api.postgres.query('DELETE FROM event_payloads WHERE tenant = $1 AND event_id = $2', [tenant, named.eventId]);
  expect(await receiptsOf(named.eventId)).toMatchObject([{ kind: 'first', client_address: null }]);
});

test('an address is unknown where the record of the arrival has none, as those from before', async () => {
  expect((await receiptsOf(await receive([{}, { from: null }]))).map(({ client_address }) => client_address)).toEqual([
    ...[null, null, null],
  ]);
});

test('pages of any size have each arrival once, also one that was written twice', async () => {
  const eventId = await receive(Array.from({ length: 6 }, () => ({})));
  const whole = await receiptsOf(eventId);
  expect(whole).toHaveLength(7);
  // As a producer leaves it that got no answer: the same record at two places.
  await api.postgres.query(
    `INSERT INTO receipts SELECT (r).* FROM (SELECT jsonb_populate_record(known, jsonb_build_object('origin', origin || '-again')) AS r
       FROM receipts AS known WHERE tenant = $1 AND receipt_id = $2) AS copied`,
    [tenant, whole[3]?.id],
  );
  for (const limit of [1, 2, 3, 8]) expect(await receiptsOf(eventId, limit)).toHaveLength(8);
});

test('another tenant’s event, an unknown one and a cursor that is none are refused', async () => {
  const eventId = await receive([]);
  const status = async (path: string, of = tenant): Promise<number> => (await api.ask({ path, tenant: of })).status;
  expect(await status(`/v1/events/${eventId}/receipts`, 'stranger')).toBe(404);
  expect(await status(`/v1/events/${createId('evt', 0)}/receipts`)).toBe(404);
  expect(await status(`/v1/events/${eventId}/receipts?cursor=rcp_1`)).toBe(400);
});
