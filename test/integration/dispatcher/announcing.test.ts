import { operationalEventTypes } from '#lib/contract';
import { createAnnouncementTable } from '../../../services/dispatcher/announcing/announcement-table.ts';
import { documentedMembers } from '../../support/documented-events.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createWorld, type TestEndpoint, type World } from './world.ts';

interface OperationalEvent {
  id: string;
  type: string;
  duplicates: number;
  payload: Record<string, unknown>;
}
const retry = { base_seconds: 0.2, cap_seconds: 0.5 };
const asks = (...eventTypes: string[]) => ({ eventTypes });

let world: World;
beforeEach(async () => {
  world = await createWorld('announcing');
  await world.startProjector();
  await world.startDedup();
});
afterEach(async () => {
  await world?.stop();
  expect(world?.failures).toEqual([]);
});

async function operationalEvents(): Promise<OperationalEvent[]> {
  const rows = await world.postgres.query<Omit<OperationalEvent, 'payload'> & { body: string }>(
    `SELECT id, type, duplicates, convert_from(body, 'UTF8') AS body
       FROM events JOIN event_payloads ON event_payloads.event_id = events.id
      WHERE source_id = 'hookline'
      ORDER BY events.received_at`,
  );
  return rows.map(({ body, ...row }) => ({ ...row, payload: JSON.parse(body) as Record<string, unknown> }));
}
const typesOf = async (): Promise<string[]> => (await operationalEvents()).map(({ type }) => type);

const announcements = (): Promise<{ type: string; subject: string; facts: Record<string, unknown> }[]> =>
  world.postgres.query('SELECT type, subject, facts FROM announcements ORDER BY type, subject');

/** Not waiting for the quarter of an hour, nor for a claim. */
const makeDue = (): Promise<object[]> =>
  world.postgres.query(`UPDATE announcements SET due_at = clock_timestamp(), claimed_until = '-infinity'`);

const failSince = ({ id }: TestEndpoint, interval: string): Promise<object[]> =>
  world.postgres.query(
    `UPDATE endpoints SET failing_since = clock_timestamp() - $2::interval, changed_at = clock_timestamp() WHERE id = $1`,
    [id, interval],
  );

const stateOf = async ({ id }: TestEndpoint) => {
  const [row] = await world.postgres.query<{ failing_since: string | null; outage_since: string | null }>(
    'SELECT failing_since, outage_since FROM endpoints WHERE id = $1',
    [id],
  );
  return row;
};

const answer = (statuses: Readonly<Record<string, number>>): void =>
  world.receiver.react(({ name }) => ({ status: statuses[name.split('?')[0] ?? ''] ?? 200 }));

/** Several rounds of whatever could announce more. */
async function nothingMoreIsAnnounced(types: readonly string[]): Promise<void> {
  await world.startDispatcher().then(({ stop }) => stop());
  const untilMs = Date.now() + 5_000;
  await waitUntil('some rounds have passed', () => Date.now() > untilMs, { timeoutMs: 10_000 });
  expect(await typesOf()).toEqual(types);
  expect(await announcements()).toEqual([]);
}

describe('an outage of an endpoint', () => {
  it('is announced once, a day before it disables the endpoint, and when it is over, to whoever asks', async () => {
    const bad = await world.addEndpoint(
      'bad',
      { retry },
      { ...asks('order.*', 'hookline.*'), url: `${world.receiver.url('bad')}?token=secret` },
    );
    const operator = await world.addEndpoint('operator', {}, asks('hookline.endpoint.*'));
    const other = await world.addEndpoint('other', {}, asks('*'));
    await failSince(bad, '4 days 1 hour');
    const since = (await stateOf(bad))?.failing_since ?? '';
    answer({ bad: 500 });
    await world.startDispatcher();
    const orders = await world.publish(4);

    await waitUntil('both are announced', async () => (await typesOf()).length >= 2);
    expect((await stateOf(bad))?.outage_since).toBe(since);
    answer({});
    await waitUntil('so is the recovery', async () => (await typesOf()).includes('hookline.endpoint.recovered'));
    expect(await stateOf(bad)).toEqual({ failing_since: null, outage_since: null });

    const events = await operationalEvents();
    const types = ['failing', 'disabling_soon', 'recovered'].map((kind) => `hookline.endpoint.${kind}`);
    expect(events.map(({ type }) => type).toSorted()).toEqual(types.toSorted());
    for (const { type, payload } of events)
      expect(payload).toMatchObject({
        type,
        endpoint_id: bad.id,
        url: world.receiver.url('bad'),
        failing_since: since,
        resource: `/v1/endpoints/${bad.id}`,
      });
    for (const { type, payload } of events)
      expect(Object.keys(payload).toSorted()).toEqual(documentedMembers(type).toSorted());
    const payloadOf = (kind: string): Record<string, unknown> =>
      events.find(({ type }) => type === `hookline.endpoint.${kind}`)?.payload ?? {};
    expect(payloadOf('failing')['failed_attempts']).toBeGreaterThanOrEqual(3);
    expect(Date.parse(String(payloadOf('disabling_soon')['disabling_at'])) - Date.parse(since)).toBe(5 * 86_400_000);
    expect(Date.parse(String(payloadOf('recovered')['recovered_at']))).toBeGreaterThan(Date.parse(since));

    // Four orders to two endpoints, three events about the outage to two: `*` asks for none of them.
    const ended = await world.ended(14);
    expect(ended.every(({ status }) => status === 'delivered')).toBe(true);
    const told = (endpoint: TestEndpoint): string[] =>
      world
        .arrivalsOf(endpoint)
        .map(({ eventId }) => eventId)
        .filter((id) => orders.every((order) => order.id !== id));
    expect(new Set(told(operator))).toEqual(new Set(events.map(({ id }) => id)));
    expect(told(other)).toEqual([]);
    await nothingMoreIsAnnounced(events.map(({ type }) => type));
  });

  it('costs a tenant nothing that has no endpoint who asks', async () => {
    const bad = await world.addEndpoint('bad', { retry: { ...retry, max_attempts: 4 } }, asks('order.*'));
    await world.addEndpoint('elsewhere', {}, { ...asks('hookline.*'), tenant: 'other' });
    await failSince(bad, '4 days 1 hour');
    answer({ bad: 500 });
    await world.startDispatcher();
    await world.publish(3);
    await world.ended(3);
    await waitUntil(
      'the dead letters are there',
      async () => (await world.postgres.query('SELECT FROM dead_letters')).length === 3,
    );
    expect((await stateOf(bad))?.outage_since).toBeNull();
    await nothingMoreIsAnnounced([]);
  });
});

describe('an endpoint that fails on operational events', () => {
  it('leads to no further ones: neither its failures nor its dead letters are announced', async () => {
    const bad = await world.addEndpoint('bad', { retry: { ...retry, max_attempts: 2 } }, asks('order.*'));
    const looping = await world.addEndpoint('loop', { retry: { ...retry, max_attempts: 4 } }, asks('hookline.*'));
    await failSince(looping, '4 days 1 hour');
    const before = await stateOf(looping);
    answer({ bad: 500, loop: 500 });
    await world.startDispatcher();
    await world.publish(3);
    await waitUntil('three dead letters are counted', async () => (await announcements())[0]?.facts['count'] === 3);
    expect(await announcements()).toMatchObject([{ type: 'hookline.delivery.dead_lettered', subject: bad.id }]);
    await makeDue();
    await waitUntil('the event is readable', async () => (await typesOf()).length === 1);
    let known: { letter: string | null }[] = [];
    await waitUntil(
      'its delivery is a dead letter',
      async () => {
        known = await world.postgres.query(
          `SELECT l.id AS letter, d.*, to_jsonb(w) AS waiting
             FROM deliveries d
             LEFT JOIN waiting w ON w.tenant = d.tenant AND w.delivery_id = d.id
             LEFT JOIN dead_letters l ON l.tenant = d.tenant AND l.delivery_id = d.id
            WHERE d.endpoint_id = $1`,
          [looping.id],
        );
        return known.length > 0 && known.every(({ letter }) => letter !== null);
      },
      { describe: () => JSON.stringify(known) },
    );
    expect(world.arrivalsOf(looping)).toHaveLength(4);
    await nothingMoreIsAnnounced(['hookline.delivery.dead_lettered']);
    expect(await stateOf(looping)).toEqual(before);
    const [event] = await operationalEvents();
    expect(event?.payload).toMatchObject({ endpoint_id: bad.id, count: 3 });
    expect(Object.keys(event?.payload ?? {}).toSorted()).toEqual(documentedMembers(event?.type ?? '').toSorted());
    const link = new URL(String(event?.payload['resource']), 'http://api.test');
    const [counted] = await world.postgres.query(
      'SELECT count(*)::integer AS count FROM dead_letters WHERE endpoint_id = $1 AND at >= $2 AND at < $3',
      [link.searchParams.get('endpoint_id'), link.searchParams.get('since'), link.searchParams.get('until')],
    );
    expect([link.pathname, counted]).toEqual(['/v1/dead-letters', { count: 3 }]);
  });

  it('does not recover by accepting them', async () => {
    const picky = await world.addEndpoint('picky', { retry }, asks('order.*', 'hookline.*'));
    await failSince(picky, '1 hour');
    world.receiver.react(({ headers }) => ({
      status: String(headers['hookline-event-type']).startsWith('hookline.') ? 200 : 500,
    }));
    await world.startDispatcher();
    await world.publish(3);
    await waitUntil('it is told that it fails', () => world.arrivalsOf(picky).length > 0);
    await waitUntil('the event is readable', async () => (await typesOf()).length === 1);
    await nothingMoreIsAnnounced(['hookline.endpoint.failing']);
    expect((await stateOf(picky))?.outage_since).not.toBeNull();
  });
});

describe('an announcement', () => {
  const announce = (tenant: string, subject: string, type = 'hookline.tenant.limit_reached') =>
    world.postgres.query<{ announce: boolean }>(`SELECT announce($1, $2, $3, 'once', '{}')`, [tenant, type, subject]);

  it('is published once, under one id, where dispatchers die before and after it is on its topic', async () => {
    const operator = await world.addEndpoint('operator', {}, asks('hookline.*'));
    expect(await announce('acme', 'sources')).toEqual([{ announce: true }]);
    expect(await announce('acme', 'sources')).toEqual([{ announce: false }]);
    for (const point of ['announcing.after-claim', 'announcing.after-publish']) {
      const dying = await world.spawnService('dispatcher', { HOOKLINE_CRASH_POINT: point });
      await dying.exited;
      expect(await announcements()).toHaveLength(1);
      await makeDue();
    }
    await waitUntil('the event is readable', readable);
    const [first] = await operationalEvents();
    await world.startDispatcher();
    await waitUntil('nothing is left to publish', async () => (await announcements()).length === 0);
    await waitUntil('its repetition is known', async () => (await operationalEvents())[0]?.duplicates === 1);
    expect((await operationalEvents()).map(({ id }) => id)).toEqual([first?.id]);
    await world.ended(1);
    expect(world.arrivalsOf(operator).map(({ eventId }) => eventId)).toEqual([first?.id]);
  });

  it('of one tenant does not wait for the many of another', async () => {
    await world.addEndpoint('operator', {}, { ...asks('hookline.*'), tenant: 'many' });
    await world.addEndpoint('other', {}, { ...asks('hookline.*'), tenant: 'few' });
    await world.postgres.query(
      `SELECT announce('many', 'hookline.source.rejecting', 'src_' || n, 'once', '{}') FROM generate_series(1, 500) AS n`,
    );
    await announce('few', 'sources');
    const table = createAnnouncementTable(world.postgres);
    const claimed = await table.claim();
    expect(claimed.filter(({ tenant }) => tenant === 'few')).toHaveLength(1);
    expect(claimed).toHaveLength(50);
    // Claimed by nobody else meanwhile.
    const again = await table.claim();
    expect(again.some(({ subject }) => claimed.some((each) => each.subject === subject))).toBe(false);
  });

  it('is for tenants with an open endpoint that names its type or a pattern for it', async () => {
    const tenants = { exact: operationalEventTypes, pattern: ['hookline.*'], below: ['hookline.tenant.*'] };
    for (const [tenant, types] of Object.entries(tenants))
      await world.addEndpoint(tenant, {}, { ...asks(...types), tenant });
    const none = { star: ['*'], empty: [], neighbour: ['hookline.endpoint.*', 'order.*'] };
    for (const [tenant, types] of Object.entries(none))
      await world.addEndpoint(tenant, {}, { ...asks(...types), tenant });
    const closed = await world.addEndpoint('closed', {}, { ...asks('hookline.*'), tenant: 'closed' });
    await world.postgres.query('UPDATE endpoints SET disabled_at = now() WHERE id = $1', [closed.id]);
    const asked = async (tenant: string): Promise<boolean | undefined> =>
      (await announce(tenant, 'sources'))[0]?.announce;
    for (const tenant of Object.keys(tenants)) expect([tenant, await asked(tenant)]).toEqual([tenant, true]);
    for (const tenant of [...Object.keys(none), 'closed', 'unknown'])
      expect([tenant, await asked(tenant)]).toEqual([tenant, false]);
  });

  it('is what a dispatcher of the version before writes about an endpoint that it disables', async () => {
    const disabledAt = '2026-01-02T03:04:05.000006Z';
    await world.postgres.query(
      `INSERT INTO disablings (tenant, endpoint_id, disabled_at, revision, url, reason, failing_since)
       VALUES ('acme', 'ep_1', $1, 7, 'https://receiver.test/hook', 'gone', NULL)`,
      [disabledAt],
    );
    expect(await world.postgres.query('SELECT FROM disablings')).toEqual([]);
    await world.startDispatcher();
    await waitUntil('the event is readable', readable);
    const [event] = await operationalEvents();
    expect(event).toMatchObject({
      type: 'hookline.endpoint.disabled',
      payload: { endpoint_id: 'ep_1', reason: 'gone' },
    });
    const [row] = await world.postgres.query('SELECT event_id FROM events WHERE id = $1', [event?.id]);
    expect(row).toEqual({ event_id: `endpoint.disabled/ep_1/7/${disabledAt}` });
  });

  const readable = async (): Promise<boolean> => (await operationalEvents()).length > 0;
});
