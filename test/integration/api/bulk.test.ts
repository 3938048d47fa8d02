import { createId, nowMicros, systemClock } from '#lib/runtime';
import { buildTestApp } from '../../unit/api/build-test-app.ts';
import { deliveryId, eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { deliveryDeadLetter, killDeliveries, replayDeadLetters } from '../replay-store/dead-deliveries.ts';
import { type BulkWorld, createBulkWorld, insertEvents, type ReplayJson } from './bulk-world.ts';
import { endDeliveries } from '../replay-store/end-deliveries.ts';

let world: BulkWorld;
let tenant = '';
let tenants = 0;
beforeAll(async () => {
  world = await createBulkWorld();
});
beforeEach(() => {
  tenant = `t${(tenants += 1)}`;
});
afterEach(() => world.postgres.query(`UPDATE replays SET status = 'cancelled' WHERE status = 'running'`));
afterAll(() => world.close());

const pairsOf = (sent: readonly { eventId: string; endpointId: string }[]): string[] =>
  sent.map(({ eventId, endpointId }) => `${eventId} ${endpointId}`).sort();
const ids = (n: number): string[] => Array.from({ length: n }, (_, index) => `evt_${tenant}_${index}`);
const count = async (text: string): Promise<number> =>
  (await world.postgres.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${text}`, [tenant]))[0]?.n ?? 0;
const allAddUp = ({ matched, replayed, failed, remaining }: ReplayJson): boolean =>
  matched === replayed + failed + remaining;

describe('a start', () => {
  it('requires a filter, or all', async () => {
    const { post } = world.as(tenant);
    for (const path of ['/events/replay', '/deliveries/retry', '/deliveries/cancel']) {
      const answer = await post(path, { dry_run: true });
      expect(answer.json()).toMatchObject({ status: 400, errors: [{ field: '/filter' }] });
      expect((await post(path, { all: true, dry_run: true })).status).toBe(202);
      expect((await post(path, { filter: { unknown: 'a' }, dry_run: true })).json()).toMatchObject({
        status: 400,
        errors: [{ field: '/filter/unknown', message: 'is an unknown field' }],
      });
      const late = path.startsWith('/events') ? 'received_since' : 'since';
      expect((await post(path, { filter: { [late]: 'yesterday' }, dry_run: true })).json()).toMatchObject({
        errors: [{ field: `/filter/${late}` }],
      });
    }
    expect((await post('/events/replay', { all: true, dry_run: true, endpoint_id: 'ep_none' })).json()).toMatchObject({
      errors: [{ field: '/endpoint_id' }],
    });
  });

  it('takes the as_of of its own dry run, and no other', async () => {
    const other = world.as(`${tenant}-other`);
    const own = world.as(tenant);
    await insertEvents(world, tenant, 3);
    await insertEvents(world, `${tenant}-other`, 3);
    const endpointId = await own.endpoint();
    const body = { filter: { type: 'order.paid', status: 'completed' }, limit: 10, rate_per_second: 50 };
    const { as_of } = await own.dryRun('/events/replay', body);

    const replays = () => count('replays WHERE tenant = $1');
    const refused = async (path: string, given: object, from = own): Promise<void> => {
      expect((await from.post(path, given)).json()).toMatchObject({ status: 400, errors: [{ field: '/as_of' }] });
    };
    await refused('/events/replay', body);
    // Another tenant's, with the same request.
    const { as_of: others } = await other.dryRun('/events/replay', body);
    await refused('/events/replay', { ...body, as_of: others });
    await refused('/events/replay', { ...body, as_of }, other);
    // An as_of of another operation.
    const ofDeliveries = { filter: { status: 'retrying' }, limit: 10, rate_per_second: 50 };
    const { as_of: ofRetry } = await own.dryRun('/deliveries/retry', ofDeliveries);
    await refused('/deliveries/cancel', { ...ofDeliveries, as_of: ofRetry });
    await refused('/events/replay', { ...body, as_of: ofRetry });
    // An as_of of another filter, endpoint, limit or rate.
    for (const other of [
      { filter: { type: 'order.paid' } },
      { filter: { type: 'order.paid', status: 'processing' } },
      { filter: { type: 'completed', status: 'order.paid' } },
      { filter: { ...body.filter, source_id: 'src_1' } },
      { endpoint_id: endpointId },
      { limit: 11 },
      { rate_per_second: 51 },
    ]) {
      const answer = await own.post('/events/replay', { ...body, ...other, as_of });
      expect([JSON.stringify(other), answer.status]).toEqual([JSON.stringify(other), 400]);
    }
    const { filter, rate_per_second } = body;
    await refused('/events/replay', { filter, rate_per_second, as_of });
    // Any character changed; a time; none.
    for (let at = 0; at < as_of.length; at += 1) {
      const changed = as_of[at] === 'A' ? 'B' : 'A';
      await refused('/events/replay', { ...body, as_of: as_of.slice(0, at) + changed + as_of.slice(at + 1) });
    }
    for (const none of ['', 'now', new Date().toISOString(), `${as_of}=`, as_of.slice(1)])
      await refused('/events/replay', { ...body, as_of: none });
    expect(await replays()).toBe(0);

    // However it is written.
    const rewritten = { as_of, rate_per_second: 50, limit: 10, filter: { status: 'completed', type: 'order.paid' } };
    expect((await own.post('/events/replay', rewritten)).json()).toMatchObject({ status: 'running', matched: 3 });
    expect(await replays()).toBe(1);
  });

  it('needs the scope write, its dry run the scope read or write', async () => {
    const asker = (scopes: ('read' | 'write')[]) =>
      buildTestApp({
        postgres: world.postgres,
        clock: systemClock,
        findKey: async () => ({ id: 'key_1', tenant, scopes, rateLimit: undefined }),
      });
    const ask = async (scope: 'read' | 'write', path: string, body: object): Promise<number> =>
      (
        await asker([scope]).app.inject({
          method: 'POST',
          url: `/v1${path}`,
          headers: { authorization: 'Bearer a-key' },
          body,
        })
      ).statusCode;
    for (const path of ['/events/replay', '/deliveries/retry', '/deliveries/cancel', '/dead-letters/replay']) {
      expect(await ask('read', path, { all: true, dry_run: true })).toBe(202);
      expect(await ask('read', path, { all: true, as_of: 'any' })).toBe(403);
      expect(await ask('read', path, { all: true, dry_run: false })).toBe(403);
      expect(await ask('write', path, { all: true, dry_run: true })).toBe(202);
      expect(await ask('write', path, { all: true, dry_run: false, as_of: 'any' })).not.toBe(403);
    }
  });
});

describe('a replay of events', () => {
  it('sends what its dry run has counted to the endpoints that match it today, each pair once, and nothing that came later', async () => {
    const own = world.as(tenant);
    const all = await own.endpoint();
    const paid = await own.endpoint({ event_types: ['order.paid'] });
    await own.endpoint({ event_types: ['other'] });
    await project(world.postgres, [
      ...ids(4).map((eventId, n) =>
        eventFact({ tenant, eventId }, { origin: `r-0-${eventId}`, type: n < 3 ? 'order.paid' : 'order.sent' }),
      ),
    ]);
    const body = { filter: { source_id: 'src_1' } };
    const preview = await own.dryRun('/events/replay', { ...body, rate_per_second: 2 });
    expect(preview).toMatchObject({
      matched: 7,
      left_out: 0,
      complete: true,
      by_endpoint: [
        { endpoint_id: all, deliveries: 4, at_most: false },
        { endpoint_id: paid, deliveries: 3, at_most: false },
      ],
      by_reason: [{ reason: 'received', deliveries: 7 }],
      seconds: 4,
    });
    const { as_of } = await own.dryRun('/events/replay', body);
    await project(world.postgres, [
      eventFact({ tenant, eventId: 'evt_later' }, { origin: `r-1-${tenant}`, received_at: nowMicros(systemClock) }),
    ]);
    const replay = await own.start('/events/replay', body, as_of);
    expect(replay).toMatchObject({ status: 'running', operation: 'replay_events', matched: 7, remaining: 7 });
    const sent = await world.runNext();
    const [a, b, c, d] = ids(4);
    expect(pairsOf(sent)).toEqual(
      [a, b, c]
        .flatMap((id) => [`${id} ${all}`, `${id} ${paid}`])
        .concat(`${d} ${all}`)
        .sort(),
    );
    expect(new Set(sent.map(({ generation }) => generation))).toEqual(new Set([1]));
    expect(await own.look(replay.id)).toMatchObject({ status: 'sent', matched: 7, replayed: 7, left_out: 0 });
  });

  it('asks an endpoint’s payload filter, and counts what that does not take as left out', async () => {
    const own = world.as(tenant);
    const picky = await own.endpoint({ filter: { n: { $gt: 1 } } });
    await project(
      world.postgres,
      ids(5).map((eventId, n) =>
        eventFact({ tenant, eventId }, { origin: `r-0-${eventId}`, payload: Buffer.from(JSON.stringify({ n })) }),
      ),
    );
    const body = { filter: { type: 'order.paid' } };
    expect(await own.dryRun('/events/replay', body)).toMatchObject({
      matched: 5,
      by_endpoint: [{ endpoint_id: picky, deliveries: 5, at_most: true }],
    });
    const replay = await own.start('/events/replay', body);
    expect(pairsOf(await world.runNext())).toEqual(
      ids(5)
        .slice(2)
        .map((id) => `${id} ${picky}`),
    );
    expect(await own.look(replay.id)).toMatchObject({ status: 'sent', matched: 3, replayed: 3, left_out: 2 });
  });

  it('finds what its filters find in the list', async () => {
    const own = world.as(tenant);
    const endpoint_id = await own.endpoint();
    const [first, second, third] = await Promise.all(
      ['a', 'b', 'c'].map(async (event_id) => {
        const body = { type: `order.${event_id}`, payload: {}, event_id, ordering_key: `of ${event_id}` };
        return (await own.post('/events', body)).json<{ id: string }>().id;
      }),
    );
    const [row] = await world.postgres.query<{ trace_id: string }>(
      'SELECT substr(traceparent, 4, 32) AS trace_id FROM events WHERE tenant = $1 AND id = $2',
      [tenant, second],
    );
    for (const [filter, found] of [
      [{ event_id: 'a' }, [first]],
      [{ event_id: 'none' }, []],
      [{ trace_id: row?.trace_id }, [second]],
      [{ ordering_key: 'of c', type: 'order.c' }, [third]],
      [{ ordering_key: 'of c', type: 'order.a' }, []],
      [{ has: ['dead_letters'] }, []],
      [{ received_since: '2100-01-01T00:00:00Z' }, []],
    ] as const) {
      const body = { filter, endpoint_id };
      const preview = await own.dryRun('/events/replay', body);
      expect([filter, preview.matched]).toEqual([filter, found.length]);
      await own.start('/events/replay', body, preview.as_of);
      expect(pairsOf(await world.runNext())).toEqual(found.map((id) => `${id} ${endpoint_id}`));
    }
  });

  it('of tens of thousands is chosen page by page, each pair once, with few items ahead of what is sent', async () => {
    const own = world.as(tenant);
    const endpoints = [await own.endpoint(), await own.endpoint()];
    await insertEvents(world, tenant, 21_500);
    await insertEvents(world, tenant, 21_500, { from: 21_500, type: 'other' });
    const body = { filter: { type: 'order.paid' }, endpoint_id: endpoints[0] };
    const preview = await own.dryRun('/events/replay', { filter: { type: 'order.paid' } });
    expect(preview).toMatchObject({ matched: 43_000, complete: true });
    expect(preview.by_endpoint).toHaveLength(2);
    const replay = await own.start('/events/replay', body);
    await world.choose();
    const ahead = await count(`replay_items WHERE tenant = $1 AND status = 'waiting'`);
    expect(ahead).toBeGreaterThan(1_000);
    expect(ahead).toBeLessThanOrEqual(6_000);
    const leased = await world.lease();
    if (leased === undefined) throw new Error('not leased');
    const sent = await world.workOff(leased, Infinity, 2_000);
    expect(sent).toHaveLength(21_500);
    expect(new Set(pairsOf(sent)).size).toBe(21_500);
    expect(await own.look(replay.id)).toMatchObject({ status: 'sent', matched: 21_500, replayed: 21_500 });
  });

  it('of an event with many endpoints goes on within the event', async () => {
    const own = world.as(tenant);
    await world.postgres.query(
      `INSERT INTO endpoints (tenant, id, url, secrets)
       SELECT $1, 'ep_' || $1 || lpad(n::text, 5, '0'), 'https://receiver.example/', '' FROM generate_series(1, 1300) n`,
      [tenant],
    );
    await insertEvents(world, tenant, 2);
    const replay = await own.start('/events/replay', { all: true });
    expect(replay.matched).toBe(2_600);
    const sent = await world.runNext();
    expect(sent).toHaveLength(2_600);
    expect(new Set(pairsOf(sent)).size).toBe(2_600);
    expect(await own.look(replay.id)).toMatchObject({ status: 'sent', replayed: 2_600, left_out: 0 });
  });

  it('keeps to its limit, and ends as partial only where there was more', async () => {
    const own = world.as(tenant);
    const endpoint_id = await own.endpoint();
    await insertEvents(world, tenant, 5);
    const ended = async (limit: number): Promise<ReplayJson> => {
      const body = { all: true, endpoint_id, limit };
      const preview = await own.dryRun('/events/replay', body);
      expect(preview).toMatchObject({ matched: Math.min(limit, 5), left_out: Math.max(0, 5 - limit) });
      const { id } = await own.start('/events/replay', body, preview.as_of);
      await world.runNext();
      return own.look(id);
    };
    expect(await ended(2)).toMatchObject({ status: 'sent', matched: 2, replayed: 2, left_out: 0 });
    expect(await ended(5)).toMatchObject({ status: 'sent', matched: 5, replayed: 5 });
    expect(await ended(6)).toMatchObject({ status: 'sent', matched: 5, replayed: 5 });
    await endDeliveries(world.postgres, 'delivered');
    expect((await own.get('/replays')).json()).toMatchObject([
      { status: 'completed' },
      { status: 'completed' },
      { status: 'partial' },
    ]);
  });

  it('leaves out pairs that another replay has open, and claims the dead letters of its own', async () => {
    const own = world.as(tenant);
    const endpointId = await own.endpoint();
    await killDeliveries(world.postgres, tenant, ids(6), [endpointId]);
    const body = { filter: { type: 'order.paid' }, endpoint_id: endpointId };
    const { as_of } = await own.dryRun('/events/replay', body);
    // A replay of dead letters claims two, and has not begun.
    const deadLetterReplay = await replayDeadLetters(world.postgres, tenant, {}, { limit: 2, ratePerSecond: 0.01 });
    await world.postgres.query(`UPDATE replays SET created_at = created_at + interval '1 hour' WHERE id = $1`, [
      deadLetterReplay.id,
    ]);
    const replay = await own.start('/events/replay', body, as_of);
    await world.choose();
    expect(await count(`dead_letters WHERE tenant = $1 AND status = 'replaying'`)).toBe(6);
    expect((await replayDeadLetters(world.postgres, tenant)).matched).toBe(0);
    expect(pairsOf(await world.runNext())).toHaveLength(4);
    expect(await own.look(replay.id)).toMatchObject({ status: 'sent', matched: 4, replayed: 4, left_out: 2 });
    expect(await count(`dead_letters WHERE tenant = $1 AND status = 'replayed'`)).toBe(4);
    const twice = await count(
      `(SELECT FROM replay_items WHERE tenant = $1 GROUP BY event_id, endpoint_id HAVING count(*) > 1) t`,
    );
    expect(twice).toBe(0);
  });

  it('that is cancelled gives back what it has not sent, and chooses no more', async () => {
    const own = world.as(tenant);
    const endpointId = await own.endpoint();
    await killDeliveries(world.postgres, tenant, ids(30), [endpointId]);
    const replay = await own.start('/events/replay', { all: true, endpoint_id: endpointId });
    await world.choose();
    const leased = await world.lease();
    if (leased === undefined) throw new Error('not leased');
    expect(await world.workOff(leased, 1, 10)).toHaveLength(10);
    expect((await own.cancel(replay.id)).status).toBe(204);
    expect(await world.workOff(leased)).toEqual([]);
    const ended = await own.look(replay.id);
    expect(ended).toMatchObject({ status: 'cancelled', matched: 30, replayed: 10, remaining: 20 });
    expect(await count(`dead_letters WHERE tenant = $1 AND status = 'dead'`)).toBe(20);
    await world.choose();
    expect(await count(`replay_items WHERE tenant = $1 AND status IN ('waiting', 'sending')`)).toBe(0);
    const items = await own.get(`/replays/${replay.id}/items?status=cancelled&limit=15`);
    expect(items.json<object[]>()).toHaveLength(15);
    expect(items.headers['link']).toContain('cursor=25');
    expect((await own.get(`/replays/${replay.id}/items?status=failed`)).json()).toEqual([]);
  });

  it('cancelled before anything is chosen ends at once', async () => {
    const own = world.as(tenant);
    const endpoint_id = await own.endpoint();
    await insertEvents(world, tenant, 3);
    const { id } = await own.start('/events/replay', { all: true, endpoint_id });
    expect((await own.cancel(id)).status).toBe(204);
    expect(await own.look(id)).toMatchObject({ status: 'cancelled', matched: 3, remaining: 3 });
  });
});

describe('a second replay of a tenant', () => {
  async function startTwo() {
    const own = world.as(tenant);
    const endpoint_id = await own.endpoint();
    await insertEvents(world, tenant, 4);
    const first = await own.start('/events/replay', { filter: { type: 'order.paid' }, endpoint_id, limit: 3 });
    await world.postgres.query(`UPDATE replays SET created_at = created_at - interval '1 s' WHERE id = $1`, [first.id]);
    const second = await own.start('/events/replay', { filter: { source_id: 'src_1' }, endpoint_id });
    expect([first.status, second.status]).toEqual(['running', 'queued']);
    return { own, endpoint_id, first, second };
  }

  it('is queued until the first has ended, chooses nothing before, and then only what the first has not sent', async () => {
    const { own, endpoint_id, second } = await startTwo();
    expect(await own.look(second.id)).toMatchObject({ status: 'queued', ahead: 1 });
    await world.choose();
    expect(await count(`replay_items WHERE tenant = $1`)).toBe(3);
    const sent = await world.runNext();
    expect(await own.look(second.id)).toMatchObject({ status: 'running', ahead: 0 });
    sent.push(...(await world.runNext()));
    expect([sent.length, new Set(pairsOf(sent)).size]).toEqual([4, 4]);
    expect(await own.look(second.id)).toMatchObject({ status: 'sent', matched: 1, replayed: 1, left_out: 3 });
    // Whoever asks after their ends sends them again.
    const { id } = await own.start('/events/replay', { all: true, endpoint_id });
    expect(await world.runNext()).toHaveLength(4);
    expect(await own.look(id)).toMatchObject({ status: 'sent', replayed: 4, left_out: 0 });
  });

  it('is cancelled while it is queued, or begins when the first is cancelled', async () => {
    const { own, endpoint_id, first, second } = await startTwo();
    const third = await own.start('/events/replay', { all: true, endpoint_id });
    expect((await own.cancel(second.id)).status).toBe(204);
    expect(await own.look(second.id)).toMatchObject({ status: 'cancelled', replayed: 0, remaining: 4 });
    expect((await own.cancel(first.id)).status).toBe(204);
    expect(await own.look(third.id)).toMatchObject({ status: 'running', ahead: 0 });
    expect(await world.runNext()).toHaveLength(4);
  });
});

describe('another tenant', () => {
  it('sees of a replay what it sees of none', async () => {
    const own = world.as(tenant);
    const endpoint_id = await own.endpoint();
    await insertEvents(world, tenant, 2);
    const { id } = await own.start('/events/replay', { all: true, endpoint_id });
    const none = createId('rpl', systemClock.nowMs());
    const other = world.as(`${tenant}-other`);
    for (const path of ['', '/items', '/items?status=failed', '?wait=1']) {
      const [others, never] = [await other.get(`/replays/${id}${path}`), await other.get(`/replays/${none}${path}`)];
      expect([others.status, others.text]).toEqual([404, never.text]);
    }
    expect((await other.cancel(id)).status).toBe(404);
    const count = await other.dryRun('/events/replay', { all: true });
    expect(count).toMatchObject({ matched: 0, by_endpoint: [] });
    const body = { all: true, dry_run: true, endpoint_id };
    expect((await other.post('/events/replay', body)).text).toBe(
      (await other.post('/events/replay', { ...body, endpoint_id: createId('ep', 1) })).text,
    );
  });
});

describe('a dispatcher from before', () => {
  it('finds no turn of a replay by filter, since it would send what is to be cancelled', async () => {
    const own = world.as(tenant);
    await createDeliveries();
    const { id } = await own.start('/deliveries/cancel', { all: true });
    const turns = () => world.postgres.query(`SELECT turn_at::text FROM replays WHERE id = $1`, [id]);
    expect(await turns()).toEqual([{ turn_at: 'infinity' }]);
    const leased = await world.lease();
    if (leased === undefined) throw new Error('not leased');
    await world.work.release(leased, 60_000);
    expect(await turns()).toEqual([{ turn_at: 'infinity' }]);
    expect(await world.lease()).toBeUndefined();
    await world.work.release({ ...leased, owner: 'another' });
    expect(await own.look(id)).toMatchObject({ status: 'running' });
  });
});

describe('choosing', () => {
  it('by several processes at once takes each pair once', async () => {
    const own = world.as(tenant);
    const endpoint_id = await own.endpoint();
    await insertEvents(world, tenant, 3_500);
    const { id } = await own.start('/events/replay', { all: true, endpoint_id });
    await Promise.all(Array.from({ length: 4 }, () => world.choose()));
    const pairs = await count('(SELECT DISTINCT event_id, endpoint_id FROM replay_items WHERE tenant = $1) t');
    expect([pairs, await count('replay_items WHERE tenant = $1')]).toEqual([3_500, 3_500]);
    expect(await own.look(id)).toMatchObject({ matched: 3_500, left_out: 0 });
  });
});

/** One delivery in each state that matters: of endpoints named after it. */
async function createDeliveries(): Promise<void> {
  const [open, dead] = [`evt_${tenant}_open`, `evt_${tenant}_dead`];
  const named = (eventId: string) => ({ tenant, eventId });
  await project(world.postgres, [
    eventFact(named(open), { origin: `r-0-${tenant}-open` }),
    fanOutFact(named(open), ['ep_pending', 'ep_retrying', 'ep_parked', 'ep_delivered', 'ep_cancelled']),
    outcomeFact(named(open), 'ep_retrying', 1, 'retrying'),
    outcomeFact(named(open), 'ep_parked', 1, 'parked'),
    outcomeFact(named(open), 'ep_delivered', 1, 'delivered'),
    outcomeFact(named(open), 'ep_cancelled', 1, 'cancelled'),
    eventFact(named(dead), { origin: `r-0-${tenant}-dead` }),
    fanOutFact(named(dead), ['ep_dead', 'ep_replayed']),
    ...['ep_dead', 'ep_replayed'].flatMap((endpointId) => [
      outcomeFact(named(dead), endpointId, 1, 'dead_lettered'),
      deliveryDeadLetter(tenant, dead, endpointId),
    ]),
    // Dead, and sent again since.
    fanOutFact(named(dead), ['ep_replayed'], 1),
  ]);
  await world.postgres.query(
    `UPDATE deliveries SET last_outcome = 'http_5xx' WHERE tenant = $1 AND status = 'retrying'`,
    [tenant],
  );
  await world.postgres.query(`UPDATE waiting SET due_at = clock_timestamp() + interval '1 hour' WHERE tenant = $1`, [
    tenant,
  ]);
}
const dueNow = () => count('waiting WHERE tenant = $1 AND due_at <= clock_timestamp()');

describe('a retry of deliveries', () => {
  it('makes those due that wait, replays those that are dead-lettered, and leaves all others alone', async () => {
    await createDeliveries();
    const own = world.as(tenant);
    const body = { all: true };
    const preview = await own.dryRun('/deliveries/retry', body);
    expect(preview.matched).toBe(3);
    expect(preview.by_endpoint.map(({ endpoint_id }) => endpoint_id)).toEqual(['ep_dead', 'ep_parked', 'ep_retrying']);
    const replay = await own.start('/deliveries/retry', body, preview.as_of);
    expect(await dueNow()).toBe(0);
    expect(pairsOf(await world.runNext())).toEqual([`evt_${tenant}_dead ep_dead`]);
    expect(await dueNow()).toBe(2);
    expect(await own.look(replay.id)).toMatchObject({
      status: 'sent',
      operation: 'retry_deliveries',
      matched: 3,
      replayed: 3,
      left_out: 0,
    });
  });

  it('keeps to its filter', async () => {
    await createDeliveries();
    const own = world.as(tenant);
    await own.start('/deliveries/retry', { filter: { endpoint_id: 'ep_parked', status: 'parked' } });
    expect(await world.runNext()).toEqual([]);
    expect(await dueNow()).toBe(1);
    for (const filter of [{ status: 'delivered' }, { endpoint_id: 'ep_pending' }, { endpoint_id: 'ep_replayed' }])
      expect(await own.dryRun('/deliveries/retry', { filter })).toMatchObject({ matched: 0 });
  });

  it('counts as left out what has gone on since the dry run, and since it was chosen', async () => {
    await createDeliveries();
    const own = world.as(tenant);
    const { as_of } = await own.dryRun('/deliveries/retry', { all: true });
    const event = { tenant, eventId: `evt_${tenant}_open` };
    await project(world.postgres, [outcomeFact(event, 'ep_retrying', 2, 'delivered')]);
    await world.postgres.query(`DELETE FROM waiting WHERE tenant = $1 AND endpoint_id = 'ep_retrying'`, [tenant]);
    const replay = await own.start('/deliveries/retry', { all: true }, as_of);
    await world.choose();
    await world.postgres.query(`DELETE FROM waiting WHERE tenant = $1 AND endpoint_id = 'ep_parked'`, [tenant]);
    expect(await world.runNext()).toHaveLength(1);
    const ended = await own.look(replay.id);
    expect(ended).toMatchObject({ status: 'sent', matched: 1, replayed: 1, left_out: 2 });
    expect(allAddUp(ended)).toBe(true);
    const items = (await own.get(`/replays/${replay.id}/items?status=left_out`)).json();
    expect(items).toMatchObject([{ endpoint_id: 'ep_parked', delivery_id: deliveryId(event.eventId, 'ep_parked') }]);
  });
});

describe('a cancel of deliveries', () => {
  it('asks for the end of all open ones, and of no other', async () => {
    await createDeliveries();
    const own = world.as(tenant);
    const body = { all: true };
    const preview = await own.dryRun('/deliveries/cancel', body);
    expect(preview.by_reason).toEqual([
      { reason: 'pending', deliveries: 2 },
      { reason: 'http_5xx', deliveries: 1 },
      { reason: 'parked', deliveries: 1 },
    ]);
    const replay = await own.start('/deliveries/cancel', body, preview.as_of);
    expect(await world.runNext()).toEqual([]);
    const requested = await world.postgres.query<{ endpoint_id: string }>(
      'SELECT endpoint_id FROM deliveries WHERE tenant = $1 AND cancel_requested ORDER BY endpoint_id',
      [tenant],
    );
    expect(requested.map(({ endpoint_id }) => endpoint_id)).toEqual([
      ...['ep_parked', 'ep_pending', 'ep_replayed', 'ep_retrying'],
    ]);
    expect(await own.look(replay.id)).toMatchObject({ status: 'sent', matched: 4, replayed: 4, left_out: 0 });
    expect(await own.dryRun('/deliveries/cancel', body)).toMatchObject({ matched: 0 });
  });

  it('takes nothing that was created after its dry run', async () => {
    await createDeliveries();
    const own = world.as(tenant);
    const { as_of } = await own.dryRun('/deliveries/cancel', { filter: { status: 'pending' } });
    await world.postgres.query(
      `UPDATE deliveries SET created_at = clock_timestamp() WHERE tenant = $1 AND endpoint_id = 'ep_pending'`,
      [tenant],
    );
    const replay = await own.start('/deliveries/cancel', { filter: { status: 'pending' } }, as_of);
    await world.runNext();
    expect(await own.look(replay.id)).toMatchObject({ status: 'sent', replayed: 1, left_out: 1 });
    expect(await count(`deliveries WHERE tenant = $1 AND cancel_requested AND endpoint_id = 'ep_pending'`)).toBe(0);
  });
});

describe('a wait for a replay', () => {
  it('is answered when it changes, at once when it has ended, and with what there is when the time is up', async () => {
    const own = world.as(tenant);
    const endpoint_id = await own.endpoint();
    await insertEvents(world, tenant, 2);
    const { id } = await own.start('/events/replay', { all: true, endpoint_id });
    const timed = async (path: string) => {
      const beganAtMs = performance.now();
      const answer = await own.get(path);
      return { answer, tookMs: performance.now() - beganAtMs };
    };
    const first = await timed(`/replays/${id}?wait=1`);
    expect(first.tookMs).toBeGreaterThan(900);
    expect(first.answer.json()).toMatchObject({ status: 'running', replayed: 0 });

    const waiting = timed(`/replays/${id}?wait=30`);
    await world.runNext();
    const { answer, tookMs } = await waiting;
    expect(tookMs).toBeLessThan(20_000);
    expect(answer.json<ReplayJson>().replayed).toBeGreaterThan(0);
    await endDeliveries(world.postgres, 'delivered');
    const ended = await timed(`/replays/${id}?wait=30`);
    expect(ended.answer.json()).toMatchObject({ status: 'completed', outcome: { delivered: 2, waiting: 0 } });
    expect(ended.tookMs).toBeLessThan(10_000);
    expect((await own.get(`/replays/${id}?wait=61`)).json()).toMatchObject({ errors: [{ field: 'wait' }] });
    expect((await own.get('/replays/rpl_none?wait=1')).status).toBe(404);
  });
});
