import { noTenant, packHeaders, undecodableBatchHeaders } from '#lib/contract';
import { startAt, eventFact } from '../../unit/projector/facts.ts';
import { deliveryDeadLetter, killDeliveries } from '../replay-store/dead-deliveries.ts';
import { project } from '../projector/projection.ts';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
let tenant = '';
let tenants = 0;
beforeAll(async () => {
  api = await openApi();
});
beforeEach(() => {
  tenant = `t${(tenants += 1)}`;
});
afterAll(() => api.close());

/** Ids of the form that the API takes. */
const eventIds = (n: number): string[] =>
  Array.from({ length: n }, (_, index) => `evt_${String(tenants).padStart(4, '0')}${String(index).padStart(22, '0')}`);

const get = async <T>(path: string): Promise<T> => {
  const answer = await api.ask({ path: `/v1${path}`, tenant });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.json<T>();
};
const post = (path: string, body?: object) => api.ask({ method: 'POST', path: `/v1${path}`, tenant, body: body ?? {} });
const replay = (body: object) => post('/dead-letters/replay', body);

interface Letter {
  id: string;
  at: string;
  [field: string]: unknown;
}
interface Replay {
  id: string;
  status: string;
  matched: number;
  [field: string]: unknown;
}

async function createEndpoint(body: object = {}): Promise<string> {
  const answer = await post('/endpoints', { url: 'https://receiver.example/hook', ...body });
  return answer.json<{ id: string }>().id;
}

describe('dead letters', () => {
  it('are listed, the newest first, page by page, by any filter', async () => {
    await killDeliveries(api.postgres, tenant, eventIds(5), ['ep_a', 'ep_b']);
    const all = await get<Letter[]>('/dead-letters');
    expect(all).toHaveLength(10);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    expect(all[0]).toMatchObject({
      stage: 'dispatcher',
      reason: 'retries_exhausted',
      attempts: 4,
      event_type: 'order.created',
      source_id: expect.any(String) as string,
      status: 'dead',
      replay_id: null,
      replayed_at: null,
    });

    const paged: Letter[] = [];
    for (let path: string | undefined = '/v1/dead-letters?limit=3&status=dead'; path !== undefined;) {
      const answer = await api.ask({ path, tenant });
      paged.push(...answer.json<Letter[]>());
      path = nextPath(answer.headers['link']);
    }
    expect(paged).toEqual(all);
    expect(await get('/dead-letters?endpoint_id=ep_a')).toHaveLength(5);
    expect(await get(`/dead-letters?source_id=${String(all[0]?.['source_id'])}`)).toHaveLength(10);
    expect(await get('/dead-letters?reason=other')).toEqual([]);
    expect(await get(`/dead-letters?since=${encodeURIComponent(all[0]?.at ?? '')}`)).toHaveLength(2);
    expect(await get('/dead-letters?status=replayed')).toEqual([]);
    for (const wrong of ['stage=nowhere', 'since=today', 'limit=0', 'cursor=x', 'colour=red'])
      expect((await api.ask({ path: `/v1/dead-letters?${wrong}`, tenant })).status).toBe(400);
  });

  it('show what died: a delivery with its event’s payload, anything else with its own bytes', async () => {
    const [eventId = ''] = eventIds(1);
    await killDeliveries(api.postgres, tenant, [eventId], ['ep_a']);
    await project(api.postgres, [
      deliveryDeadLetter(tenant, 'evt_x', 'ep_x', {
        stage: 'dedup',
        origin: 'r-0-9',
        at: startAt + 5_000_000,
        key: null,
        value: Buffer.from([0, 255]),
        headers: packHeaders({
          'hookline-source-id': Buffer.from('src_1'),
          twice: [Buffer.from('a'), Buffer.from('b')],
          'hookline-sealed-headers': Buffer.from('{"cookie":["c2VhbGVk"]}'),
        }),
      }),
    ]);
    const [unreadable, delivery] = await get<Letter[]>('/dead-letters');
    expect(await get(`/dead-letters/${unreadable?.id}`)).toEqual({
      ...unreadable,
      key: null,
      headers: { 'hookline-source-id': 'src_1', twice: ['a', 'b'], 'hookline-sealed-headers': '***' },
      payload: Buffer.from([0, 255]).toString('base64'),
      payload_encoding: 'base64',
      undecodable_batch: null,
    });
    const shown = await get<Letter>(`/dead-letters/${delivery?.id}`);
    expect(shown).toMatchObject({ key: 'ep_a', event_id: eventId });
    expect(shown['payload']).not.toBeNull();
  });

  it('of no tenant are the operator’s: listed, shown and replayed as any other', async () => {
    const batch = { topic: 'p.events', partition: 3, firstOffset: 7n, lastOffset: 9n };
    const named = undecodableBatchHeaders({ ...batch, compression: 'zstd', problem: 'is damaged' });
    const given = deliveryDeadLetter(noTenant, 'evt_x', 'ep_x', {
      stage: 'fan-out',
      reason: 'undecodable_batch',
      origin: 'p.events-3-7..9',
      at: startAt + 6_000_000,
      event_id: null,
      delivery_id: null,
      endpoint_id: null,
      key: null,
      value: Buffer.from([1, 2, 255]),
      headers: packHeaders(Object.fromEntries(Object.entries(named).map(([name, text]) => [name, Buffer.from(text)]))),
    });
    await project(api.postgres, [given]);
    const ofNone = (path: string, method = 'GET', body?: object) =>
      api.ask({ method, path: `/v1${path}`, tenant: '*', ...(body && { body }) });
    const [letter] = (await ofNone('/dead-letters?reason=undecodable_batch')).json<Letter[]>();
    const shown = (await ofNone(`/dead-letters/${letter?.id}`)).json<Letter>();
    expect(shown).toMatchObject({
      payload_encoding: 'base64',
      undecodable_batch: {
        topic: 'p.events',
        partition: 3,
        first_offset: '7',
        last_offset: '9',
        offsets: ['7', '8', '9'],
        compression: 'zstd',
        problem: 'the batch is damaged',
      },
    });
    const started = await ofNone('/dead-letters/replay', 'POST', { ids: [letter?.id] });
    expect(started.status).toBe(202);
    const { id } = started.json<Replay>();
    expect((await ofNone(`/replays/${id}`)).json<Replay>()).toMatchObject({ matched: 1 });
    expect((await ofNone(`/replays/${id}/items`)).json<object[]>()).toHaveLength(1);
    expect((await ofNone(`/replays/${id}`, 'DELETE')).status).toBe(204);
    expect(await get<Letter[]>('/dead-letters')).toEqual([]);
  });

  it('of another tenant, and what never was one, are not there', async () => {
    await killDeliveries(api.postgres, tenant, eventIds(1), ['ep_a']);
    const [letter] = await get<Letter[]>('/dead-letters');
    expect((await api.ask({ path: `/v1/dead-letters/${letter?.id}`, tenant: 'other' })).status).toBe(404);
    expect((await api.ask({ path: '/v1/dead-letters/dl_nothing', tenant })).status).toBe(404);
  });
});

describe('a replay of dead letters', () => {
  it('wants a filter, or to be told that all are meant', async () => {
    for (const body of [{}, { all: false }, { limit: 5 }, { rate_per_second: 5, dry_run: true }])
      expect((await replay(body)).json()).toMatchObject({ status: 400, code: 'validation_failed' });
    for (const [field, body] of Object.entries({
      '/ids': { ids: [] },
      '/since': { since: 'today' },
      '/stage': { stage: 'x' },
      '/limit': { all: true, limit: 0 },
      '/rate_per_second': { all: true, rate_per_second: 0 },
      '/colour': { all: true, colour: 'red' },
    }))
      expect((await replay(body)).json()).toMatchObject({ status: 400, errors: [{ field }] });
  });

  it('says in a dry run what would go, and changes nothing', async () => {
    await killDeliveries(api.postgres, tenant, eventIds(30), ['ep_a', 'ep_b']);
    const before = await get('/dead-letters');
    const answer = await replay({ all: true, limit: 50, dry_run: true });
    expect(answer.status).toBe(202);
    const preview = answer.json<{ ids: string[] }>();
    expect(preview).toMatchObject({
      dry_run: true,
      matched: 50,
      left_out: 10,
      by_endpoint: [
        { endpoint_id: 'ep_a', letters: 25 },
        { endpoint_id: 'ep_b', letters: 25 },
      ],
      by_reason: [{ stage: 'dispatcher', reason: 'retries_exhausted', letters: 50 }],
    });
    expect(preview.ids).toHaveLength(20);
    expect(await get('/dead-letters')).toEqual(before);
    expect(await get('/replays')).toEqual([]);
    expect((await replay({ ids: ['dl_none'], dry_run: true })).json()).toMatchObject({ matched: 0, ids: [] });
  });

  it('is started, looked at, listed and cancelled', async () => {
    await killDeliveries(api.postgres, tenant, eventIds(3), ['ep_a']);
    const answer = await replay({ endpoint_id: 'ep_a', rate_per_second: 2.5 });
    expect(answer.status).toBe(202);
    const started = answer.json<Replay>();
    expect(answer.headers['location']).toBe(`/v1/replays/${started.id}`);
    expect(started).toMatchObject({
      status: 'running',
      matched: 3,
      replayed: 0,
      failed: 0,
      remaining: 3,
      rate_per_second: 2.5,
      request: { endpoint_id: 'ep_a', rate_per_second: 2.5 },
    });
    expect(await get(`/replays/${started.id}`)).toEqual({ ...started, ahead: 0, failures: {} });
    expect(await get('/replays')).toEqual([started]);
    expect(await get(`/dead-letters?status=replaying`)).toHaveLength(3);
    // No other replay can claim the same dead letters.
    expect((await replay({ all: true })).json()).toMatchObject({ matched: 0, status: 'completed' });

    const cancel = (whose = tenant) => api.ask({ method: 'DELETE', path: `/v1/replays/${started.id}`, tenant: whose });
    expect((await cancel('other')).status).toBe(404);
    expect((await cancel()).status).toBe(204);
    expect((await cancel()).status).toBe(204);
    expect(await get(`/replays/${started.id}`)).toMatchObject({ status: 'cancelled', remaining: 3 });
    expect(await get('/dead-letters?status=dead')).toHaveLength(3);
    const [ended] = (await get<Replay[]>('/replays')).filter(({ status }) => status === 'completed');
    expect((await api.ask({ method: 'DELETE', path: `/v1/replays/${ended?.id}`, tenant })).status).toBe(409);
  });
});

describe('a replay of an event', () => {
  const projectEvent = (eventId: string) =>
    project(api.postgres, [eventFact({ tenant, eventId }, { origin: `r-0-${eventId}` })]);
  const endpointsOf = async (id: string): Promise<string[]> =>
    (
      await api.postgres.query<{ endpoint_id: string }>(
        'SELECT endpoint_id FROM replay_items WHERE tenant = $1 AND replay_id = $2 ORDER BY item',
        [tenant, id],
      )
    ).map(({ endpoint_id }) => endpoint_id);

  it('goes to every endpoint that gets such events today', async () => {
    const [eventId = ''] = eventIds(1);
    await projectEvent(eventId);
    const { type } = await get<{ type: string }>(`/events/${eventId}`);
    const wanted = [await createEndpoint(), await createEndpoint({ event_types: [type] })];
    wanted.push(await createEndpoint({ filter: { id: eventId } }));
    await createEndpoint({ event_types: ['another'] });
    await createEndpoint({ filter: { id: 'another' } });
    const deleted = await createEndpoint();
    await api.ask({ method: 'DELETE', path: `/v1/endpoints/${deleted}`, tenant });

    const answer = await post(`/events/${eventId}/replay`);
    expect(answer.status).toBe(202);
    const started = answer.json<Replay>();
    expect(started).toMatchObject({ status: 'running', matched: 3, request: { event_id: eventId } });
    expect(await endpointsOf(started.id)).toEqual(wanted.sort());
  });

  it('or to the one that is named, subscribed or not', async () => {
    const [eventId = ''] = eventIds(1);
    await projectEvent(eventId);
    const id = await createEndpoint({ event_types: ['another'] });
    const started = (await post(`/events/${eventId}/replay`, { endpoint_id: id })).json<Replay>();
    expect(await endpointsOf(started.id)).toEqual([id]);
    expect((await post(`/events/${eventId}/replay`, { endpoint_id: 'ep_none' })).json()).toMatchObject({
      status: 400,
      errors: [{ field: '/endpoint_id' }],
    });
    await api.postgres.query('UPDATE endpoints SET disabled_at = clock_timestamp() WHERE id = $1', [id]);
    expect((await post(`/events/${eventId}/replay`, { endpoint_id: id })).status).toBe(409);
    expect((await post('/events/evt_none/replay')).status).toBe(404);
  });

  it('is refused where the payload is kept no longer', async () => {
    const [eventId = ''] = eventIds(1);
    await projectEvent(eventId);
    await api.postgres.query('DELETE FROM event_payloads WHERE event_id = $1', [eventId]);
    expect((await post(`/events/${eventId}/replay`)).status).toBe(409);
  });
});

describe('a recovery of an endpoint', () => {
  const recover = (id: string, body: object) => post(`/endpoints/${id}/recover`, body);
  const statuses = async () =>
    (await get<Letter[]>('/dead-letters')).map(({ endpoint_id, stage, at, status }) => ({
      endpoint_id,
      stage,
      at,
      status,
    }));

  it('replays what of its own has died since then, and nothing else', async () => {
    const [one, other] = [await createEndpoint(), await createEndpoint()];
    await killDeliveries(api.postgres, tenant, eventIds(5), [one, other]);
    // A dead letter of the same endpoint, but not a delivery's.
    await project(api.postgres, [deliveryDeadLetter(tenant, 'evt_x', one, { stage: 'fan-out', origin: 'e-0-1' })]);
    const letters = await get<Letter[]>(`/dead-letters?endpoint_id=${one}&stage=dispatcher`);
    const [, , since] = letters.map(({ at }) => at).sort();

    const answer = await recover(one, { since, rate_per_second: 2.5 });
    expect(answer.status).toBe(202);
    const started = answer.json<Replay>();
    expect(answer.headers['location']).toBe(`/v1/replays/${started.id}`);
    expect(started).toMatchObject({
      status: 'running',
      matched: 3,
      rate_per_second: 2.5,
      request: { stage: 'dispatcher', endpoint_id: one, since, rate_per_second: 2.5 },
    });
    for (const letter of await statuses())
      expect(letter.status).toBe(
        letter.endpoint_id === one && letter.stage === 'dispatcher' && letter.at >= (since ?? '')
          ? 'replaying'
          : 'dead',
      );
    // A replayed one is not replayed twice.
    expect((await recover(one, { since: '2020-01-01T00:00:00Z', limit: 1 })).json()).toMatchObject({ matched: 1 });
    expect((await recover(one, { since: '2020-01-01T00:00:00Z' })).json()).toMatchObject({ matched: 1 });
    expect((await recover(one, { since: '2020-01-01T00:00:00Z' })).json()).toMatchObject({
      matched: 0,
      status: 'completed',
    });
  });

  it('waits for the endpoint to be enabled', async () => {
    const id = await createEndpoint();
    await killDeliveries(api.postgres, tenant, eventIds(1), [id]);
    await post(`/endpoints/${id}/disable`);
    const answer = await recover(id, { since: '2020-01-01T00:00:00Z' });
    expect(answer.json()).toMatchObject({ status: 409, detail: expect.stringMatching(/enable it first/) as string });
    expect((await statuses()).map(({ status }) => status)).toEqual(['dead']);
    await post(`/endpoints/${id}/enable`);
    expect((await recover(id, { since: '2020-01-01T00:00:00Z' })).json()).toMatchObject({ matched: 1 });
  });

  it.each([
    [{}, '/since'],
    [{ since: 'yesterday' }, '/since'],
    [{ since: '2026-01-01' }, '/since'],
    [{ since: 0 }, '/since'],
    [{ since: '2026-01-01T00:00:00Z', limit: 0 }, '/limit'],
    [{ since: '2026-01-01T00:00:00Z', rate_per_second: 0 }, '/rate_per_second'],
    [{ since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }, '/until'],
  ])('of %j is refused at %s', async (body, field) => {
    const id = await createEndpoint();
    expect((await recover(id, body)).json()).toMatchObject({ status: 400, errors: [{ field }] });
  });
});

describe('a retry of a delivery', () => {
  it('replays its dead letter, once', async () => {
    const [eventId = ''] = eventIds(1);
    await killDeliveries(api.postgres, tenant, [eventId], ['ep_a']);
    const id = 'dlv_00000000000000000000000001';
    await api.postgres.query('UPDATE deliveries SET id = $2 WHERE tenant = $1', [tenant, id]);
    expect((await post(`/deliveries/${id}/retry`)).json()).toMatchObject({ status: 409 });
    await api.postgres.query('UPDATE dead_letters SET origin = $2 WHERE tenant = $1', [tenant, id]);

    const answer = await post(`/deliveries/${id}/retry`);
    expect(answer.status).toBe(202);
    expect(answer.json()).toMatchObject({ status: 'running', matched: 1, request: { delivery_id: id } });
    expect((await post(`/deliveries/${id}/retry`)).status).toBe(409);
    await api.postgres.query(`UPDATE deliveries SET status = 'delivered' WHERE tenant = $1`, [tenant]);
    expect((await post(`/deliveries/${id}/retry`)).status).toBe(409);
    expect((await post('/deliveries/dlv_none/retry')).status).toBe(404);
  });

  it('leaves no replay behind where another has its dead letter', async () => {
    const [eventId = ''] = eventIds(1);
    await killDeliveries(api.postgres, tenant, [eventId], ['ep_a']);
    const id = 'dlv_00000000000000000000000002';
    await api.postgres.query('UPDATE deliveries SET id = $2 WHERE tenant = $1', [tenant, id]);
    await api.postgres.query('UPDATE dead_letters SET origin = $2 WHERE tenant = $1', [tenant, id]);
    await api.postgres.transaction(async (tx) => {
      await tx.query('SELECT FROM dead_letters WHERE tenant = $1 FOR UPDATE', [tenant]);
      expect((await post(`/deliveries/${id}/retry`)).status).toBe(409);
    });
    expect(await api.postgres.query('SELECT id FROM replays WHERE tenant = $1', [tenant])).toEqual([]);
    expect((await post(`/deliveries/${id}/retry`)).status).toBe(202);
  });
});
