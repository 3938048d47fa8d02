/** Pausing and resuming an endpoint, and what is told of its health. */
import { pauseLimits, type StoredPause } from '#lib/contract';
import { openKey } from './scoped-keys.ts';
import { eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

const tenant = 'acme';
const day = 86_400_000;
let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

interface Endpoint {
  id: string;
  paused_at: string | null;
  paused_until: string | null;
  disabled_reason: string | null;
}

async function newEndpoint(): Promise<string> {
  const body = { url: 'https://receiver.example/' };
  return (await api.ask({ method: 'POST', path: '/v1/endpoints', body, tenant })).json<Endpoint>().id;
}
const post = (id: string, verb: string, body?: object, headers = {}) =>
  api.ask({ method: 'POST', path: `/v1/endpoints/${id}/${verb}`, tenant, headers, ...(body && { body }) });
const pausesOf = async (id: string): Promise<StoredPause[]> =>
  (await api.postgres.query<{ pauses: StoredPause[] }>('SELECT pauses FROM endpoints WHERE id = $1', [id]))[0]
    ?.pauses ?? [];
const from = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('a pause', () => {
  test('ends after 72 hours by default, says so, and is no change of the settings', async () => {
    const id = await newEndpoint();
    const before = await api.ask({ path: `/v1/endpoints/${id}`, tenant });
    expect(before.json()).toMatchObject({ paused_at: null, paused_until: null });
    const paused = await post(id, 'pause');
    const { paused_at, paused_until, disabled_reason } = paused.json<Endpoint>();
    expect(Date.parse(paused_until ?? '') - Date.parse(paused_at ?? '')).toBe(pauseLimits.usualSeconds * 1_000);
    expect([paused.status, disabled_reason, paused.headers.etag]).toEqual([200, null, before.headers.etag]);
    const resumed = await post(id, 'resume');
    expect(resumed.json()).toMatchObject({ paused_at: null, paused_until: null });
    const pauses = await pausesOf(id);
    expect(pauses).toHaveLength(1);
    expect(Date.parse(pauses[0]?.until ?? '')).toBeLessThanOrEqual(Date.now() + 1_000);
    expect((await post(id, 'resume')).status).toBe(200);
    expect(await pausesOf(id)).toEqual(pauses);
  });

  test('may last 14 days, no longer, and is moved by another request, from its own beginning', async () => {
    const id = await newEndpoint();
    expect((await post(id, 'pause', { until: from(14 * day - 60_000) })).status).toBe(200);
    const moved = await post(id, 'pause', { until: from(day) });
    expect(Date.parse(moved.json<Endpoint>().paused_until ?? '') - Date.now()).toBeLessThan(day + 1_000);
    expect(await pausesOf(id)).toHaveLength(1);
    for (const until of [from(14 * day + 60_000), from(-1_000), 'tomorrow']) {
      const refused = await post(id, 'pause', { until });
      expect([refused.status, refused.text.includes('/until')]).toEqual([400, true]);
    }
  });

  test('that is over needs no request', async () => {
    const id = await newEndpoint();
    await post(id, 'pause');
    await api.postgres.query("UPDATE endpoints SET paused_until = clock_timestamp() - interval '1 s' WHERE id = $1", [
      id,
    ]);
    expect((await api.ask({ path: `/v1/endpoints/${id}`, tenant })).json()).toMatchObject({ paused_until: null });
  });

  test('of many the list stays short, and none of the time is lost', async () => {
    const id = await newEndpoint();
    for (let n = 0; n < pauseLimits.maxKept + 3; n += 1) {
      await post(id, 'pause');
      await post(id, 'resume');
    }
    const pauses = await pausesOf(id);
    expect(pauses).toHaveLength(pauseLimits.maxKept);
    expect(pauses.every((pause, n) => n === 0 || pause.from >= (pauses[n - 1]?.until ?? ''))).toBe(true);
  });

  test('is refused where nothing is sent anyway, and honours If-Match; a paused endpoint gets no test', async () => {
    const id = await newEndpoint();
    expect((await post(id, 'pause', {}, { 'if-match': '"7"' })).status).toBe(412);
    await post(id, 'pause');
    expect((await post(id, 'test')).status).toBe(409);
    await post(id, 'disable');
    expect((await post(id, 'pause')).status).toBe(409);
    await api.ask({ method: 'DELETE', path: `/v1/endpoints/${id}`, tenant });
    expect([(await post(id, 'pause')).status, (await post(id, 'resume')).status]).toEqual([410, 410]);
  });
});

test('another tenant’s endpoint is none, byte for byte', async () => {
  const id = await newEndpoint();
  const none = id.replace(/.{4}$/, '0000');
  for (const [method, verb] of [
    ['POST', 'pause'],
    ['POST', 'resume'],
    ['GET', 'health'],
  ] as const) {
    const [others, missing] = await Promise.all(
      [id, none].map((each) => api.ask({ method, path: `/v1/endpoints/${each}/${verb}`, tenant: 'other' })),
    );
    expect([others?.status, others?.text]).toEqual([404, missing?.text]);
  }
});

test('reading needs the scope read, pausing write; the system is for the operator alone', async () => {
  const id = await newEndpoint();
  const statusesWith = async (scope: 'read' | 'write' | 'publish' | 'admin') => {
    const headers = await openKey(api, tenant, scope);
    const asked = [
      ['GET', '/v1/stats'],
      ['GET', `/v1/endpoints/${id}/health`],
      ['POST', `/v1/endpoints/${id}/pause`],
      ['POST', `/v1/endpoints/${id}/resume`],
      ['GET', '/v1/system'],
    ] as const;
    return Promise.all(asked.map(async ([method, path]) => (await api.ask({ method, path, headers })).status));
  };
  expect(await statusesWith('read')).toEqual([200, 200, 403, 403, 403]);
  expect(await statusesWith('write')).toEqual([403, 403, 200, 200, 403]);
  expect(await statusesWith('publish')).toEqual([403, 403, 403, 403, 403]);
  expect(await statusesWith('admin')).toEqual([200, 200, 200, 200, 403]);
});

describe('the health of an endpoint', () => {
  const healthOf = async (id: string) =>
    (await api.ask({ path: `/v1/endpoints/${id}/health`, tenant })).json<Record<string, unknown>>();

  test('that nobody knows anything of is null, not 0', async () => {
    expect(await healthOf(await newEndpoint())).toEqual({
      breaker: null,
      disabled_at: null,
      paused_until: null,
      failing_since: null,
      disables_at: null,
      success: { hour: null, day: null },
      latency: { attempts: 0, p50_ms: null, p95_ms: null },
      waiting: { retrying: 0, parked: 0, is_capped: false, oldest: null, drains_at: null },
      last_success: null,
      last_failure: null,
      failures: [],
    });
  });

  test('is that of its attempts and of what waits', async () => {
    const id = await newEndpoint();
    await api.postgres.query("INSERT INTO stats_since (at) VALUES ('2025-12-01') ON CONFLICT DO NOTHING");
    const events = Array.from({ length: 6 }, (_, n) => ({ tenant, eventId: `evt_health_${n}` }));
    await project(api.postgres, [
      ...events.flatMap((event) => [eventFact(event), fanOutFact(event, [id])]),
      ...events.slice(0, 3).map((event) => outcomeFact(event, id, 1, 'delivered')),
      outcomeFact(events[3] as (typeof events)[0], id, 1, 'retrying'),
      outcomeFact(events[4] as (typeof events)[0], id, 1, 'dead_lettered'),
      outcomeFact(events[5] as (typeof events)[0], id, 1, 'parked'),
    ]);
    await api.postgres.query("UPDATE endpoints SET failing_since = '2026-01-01T00:00:00Z' WHERE id = $1", [id]);
    const pauses = [{ from: '2026-01-02T00:00:00.000000Z', until: '2026-01-02T06:00:00.000000Z' }];
    await api.postgres.query('UPDATE endpoints SET pauses = $2 WHERE id = $1', [id, JSON.stringify(pauses)]);
    await api.postgres.query(
      "INSERT INTO endpoint_breakers (tenant, endpoint_id, state, since, observed_at) VALUES ($1, $2, 'open', '2026-01-01T00:00:00Z', clock_timestamp())",
      [tenant, id],
    );
    const [delivered] = await api.postgres.query<{ at: string }>(
      "SELECT max(a.at) AS at FROM attempts a JOIN deliveries d ON d.tenant = a.tenant AND d.id = a.delivery_id WHERE d.endpoint_id = $1 AND a.outcome = 'delivered'",
      [id],
    );
    expect(await healthOf(id)).toMatchObject({
      breaker: { state: 'open', since: '2026-01-01T00:00:00.000000Z' },
      disables_at: '2026-01-06T06:00:00.000000Z',
      success: { hour: { attempts: 5, delivered: 3, ratio: 0.6 }, day: { attempts: 5, delivered: 3, ratio: 0.6 } },
      latency: { attempts: 5, p50_ms: 12.5, p95_ms: 12.5 },
      waiting: { retrying: 1, parked: 1, is_capped: false, drains_at: null },
      last_success: { at: delivered?.at, outcome: 'delivered', http_status: 200 },
      last_failure: { outcome: 'http_5xx', http_status: 500 },
    });
  });

  test('has no success of a time that was not counted, unless the endpoint is newer', async () => {
    const [older, newer] = [await newEndpoint(), await newEndpoint()];
    const since =
      'INSERT INTO stats_since (at) VALUES (now() - $1::interval) ON CONFLICT (one) DO UPDATE SET at = EXCLUDED.at';
    await api.postgres.query("UPDATE endpoints SET created_at = now() - interval '2 days' WHERE id = $1", [older]);
    await api.postgres.query(since, ['10 minutes']);
    const none = { attempts: 0, delivered: 0, ratio: null };
    expect(await healthOf(older)).toMatchObject({ success: { hour: null, day: null } });
    expect(await healthOf(newer)).toMatchObject({ success: { hour: none, day: none } });
  });

  test('has no breaker that nobody has told of for minutes', async () => {
    const id = await newEndpoint();
    await api.postgres.query(
      "INSERT INTO endpoint_breakers (tenant, endpoint_id, state, since, observed_at) VALUES ($1, $2, 'open', now(), clock_timestamp() - interval '4 minutes')",
      [tenant, id],
    );
    expect(await healthOf(id)).toMatchObject({ breaker: null });
  });
});
