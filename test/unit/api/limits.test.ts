/** Rates and limits in headers, in problems and in `GET /v1/limits`. */
import { createRateLimiter, type RateLimiter, type RatesLeft } from '#lib/rate-limit';
import { createManualClock, silentLogger } from '#lib/runtime';
import { createTenantLimits, limitNames, limitTable, parseLimitSettings, shareTable, type Used } from '#lib/tenancy';
import { apiLimits } from '../../../services/api/http/api-limits.ts';
import type { KnownKey } from '../../../services/api/keys/key-directory.ts';
import { limitRows, otherLimits } from '../../support/limits-table.ts';
import { createFakeServer } from '../rate-limit/fake-buckets.ts';
import { closeApps } from './ask.ts';
import { authorization as adminAuthorization, buildTestApp, postgresOf } from './build-test-app.ts';

afterEach(closeApps);

const headers = { authorization: 'Bearer a-key' };
const key: KnownKey = { id: 'key_1', tenant: 'acme', scopes: ['read'], rateLimit: undefined };

function appFor(given: Parameters<typeof buildTestApp>[0] = {}, rateLimit: KnownKey['rateLimit'] = undefined) {
  const findKey = async () => ({ ...key, rateLimit });
  return buildTestApp({ postgres: postgresOf(async () => []), findKey, ...given });
}

function limiterOf(): RateLimiter & RatesLeft {
  const clock = createManualClock();
  return createRateLimiter({ buckets: createFakeServer(clock).buckets('p0'), clock, log: silentLogger });
}

describe('answers to a key with a rate', () => {
  test('say what is left of both rates', async () => {
    const { ask } = appFor({ limiter: limiterOf() }, { perSecond: 1, burst: 3 });
    const seen: unknown[] = [];
    for (let asked = 0; asked < 4; asked += 1) {
      const answer = await ask({ path: '/v1/sources', headers });
      seen.push([answer.status, answer.headers['ratelimit'], answer.headers['retry-after']]);
      expect(answer.headers['ratelimit-policy']).toBe('"key_rate";q=3;w=3, "requests_per_second";q=1000;w=2');
    }
    expect(seen).toEqual([
      [200, '"key_rate";r=2;t=1, "requests_per_second";r=999;t=1', undefined],
      [200, '"key_rate";r=1;t=2, "requests_per_second";r=998;t=1', undefined],
      [200, '"key_rate";r=0;t=3, "requests_per_second";r=997;t=1', undefined],
      [429, '"key_rate";r=0;t=1', '1'],
    ]);
  });

  test('name the limit, and who raises it', async () => {
    const refusing: RateLimiter = { take: async () => ({ granted: false, retryAfterMs: 900 }) };
    const answer = await appFor({ limiter: refusing }).ask({ path: '/v1/sources', headers });
    expect(answer.json()).toMatchObject({ status: 429, code: 'rate_limited', limit: 'key_rate' });
    expect(answer.json<{ detail: string }>().detail).toBe(
      'The API key has reached 100 requests per second, with bursts of 200 (key_rate), raised by rate_limit of a key, up to requests_per_second; HOOKLINE_API_KEY_RATE_PER_SECOND, HOOKLINE_API_KEY_RATE_BURST',
    );
  });

  test('do not have them for the operator, who has no rate', async () => {
    const answer = await appFor().ask({ path: '/v1/sources', headers: { authorization: adminAuthorization } });
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('ratelimit-policy');
  });
});

test.each(['/v1/sessions/redeem', '/v1/portal-links/redeem'])('%s says the rate of the address', async (path) => {
  const json = { 'content-type': 'application/json' };
  const { ask } = appFor({ limiter: limiterOf() });
  const granted = await ask({ method: 'POST', path, headers: json, body: { code: 'x' } });
  expect(granted.headers).toMatchObject({
    'ratelimit-policy': '"redeeming";q=100;w=5',
    ratelimit: '"redeeming";r=99;t=1',
  });
  const refusing = appFor({ limiter: { take: async () => ({ granted: false, retryAfterMs: 20 }) } });
  const refused = await refusing.ask({ method: 'POST', path, headers: json, body: { code: 'x' } });
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  expect(refused.json()).toMatchObject({ limit: 'redeeming' });
  expect(refused.json<{ detail: string }>().detail).toContain('(redeeming), raised by no setting');
});

test('a limit of the tenant is named with its number and who raises it', async () => {
  const limiter: RateLimiter = {
    take: async (bucket) => (bucket === 'acme' ? { granted: false, retryAfterMs: 900 } : { granted: true }),
  };
  const answer = await appFor({ limiter }).ask({ path: '/v1/sources', headers });
  expect(answer.json()).toMatchObject({ limit: 'requests_per_second' });
  expect(answer.json<{ detail: string }>().detail).toMatch(
    /^The tenant has reached its limit of 500 requests .*\(requests_per_second\), raised by the operator, by PUT \/v1\/tenants\/\{id\} or HOOKLINE_TENANT_LIMITS$/,
  );
  expect(answer.headers['ratelimit']).toBe('"requests_per_second";r=0;t=1');
});

describe('GET /v1/limits', () => {
  const settings = parseLimitSettings('acme/endpoints=7');
  const limits = createTenantLimits('settings' in settings ? settings.settings : { forAll: {}, byTenant: new Map() });
  const rows: Record<string, object> = {
    tenant_resources: { id: 'acme', name: null, limits: null, counted: { endpoints: { live: 3, bytes: 900 } } },
    'FROM event_types': { types: 2, bytes: '1200' },
    'FROM replays': { single: 1, bulk: 4 },
    'FROM sessions': { open: 5 },
  };
  const postgres = postgresOf(async (text) => {
    const [, row] = Object.entries(rows).find(([part]) => text.includes(part)) ?? [];
    return row === undefined ? [] : [row];
  });
  type Shown = { name: string; limit: number | null; used: number | null; raised_by: string; counts: string };
  const shownTo = async (authorization: string, rateLimit?: KnownKey['rateLimit']) => {
    const limiter = limiterOf();
    const answer = await appFor({ postgres, limits, limiter, ratesLeft: limiter }, rateLimit).ask({
      path: '/v1/limits',
      headers: { authorization, ...(authorization === adminAuthorization && { 'hookline-tenant': 'acme' }) },
    });
    expect(answer.status).toBe(200);
    return answer.json<Shown[]>();
  };

  test('has every limit of the tenant, its shares, and those of the API', async () => {
    const shown = await shownTo('Bearer a-key');
    expect(shown.map(({ name }) => name)).toEqual([
      ...limitNames,
      ...Object.keys(shareTable),
      ...Object.keys(apiLimits),
    ]);
    for (const row of shown)
      expect(Object.keys(row).sort()).toEqual(
        ['answer', 'counts', 'limit', 'name', 'raised_by', 'unit', 'used', 'whose'].sort(),
      );
    expect(JSON.stringify(shown)).not.toMatch(/`|\]\(/);
  });

  test('says what is used now, and the numbers that hold for this tenant and key', async () => {
    const shown = new Map((await shownTo('Bearer a-key', { perSecond: 7, burst: 9 })).map((row) => [row.name, row]));
    const numbers = (name: string) => [shown.get(name)?.used, shown.get(name)?.limit];
    expect(numbers('endpoints')).toEqual([3, 7]);
    expect(numbers('endpoint_bytes')).toEqual([900, 64 * 1024 * 1024]);
    expect(numbers('sources')).toEqual([0, 10_000]);
    expect(numbers('event_types')).toEqual([2, 2_000]);
    expect(numbers('event_type_bytes')).toEqual([1_200, 64 * 1024 * 1024]);
    expect(numbers('replays')).toEqual([4, 100]);
    expect(numbers('single_replays')).toEqual([1, 1_000]);
    expect(numbers('sessions')).toEqual([5, 1_000]);
    expect(numbers('waiting_requests')).toEqual([0, 200]);
    expect(numbers('requests_per_second')).toEqual([1, 500]);
    expect(numbers('exports')).toEqual([0, 2]);
    expect(numbers('searches')).toEqual([0, 1]);
    expect(numbers('long_polls')).toEqual([0, 10_000]);
    expect(numbers('places_in_flight')).toEqual([null, null]);
    expect(numbers('key_rate')).toEqual([1, 7]);
    expect(numbers('request_body')).toEqual([null, 65_536]);
    expect(shown.get('endpoints')?.raised_by).toBe('the operator, by PUT /v1/tenants/{id} or HOOKLINE_TENANT_LIMITS');
  });

  test('has a number for each limit of which the documentation says what `used` counts, and null for the others', async () => {
    const told: Readonly<Record<string, { counts: string; used?: Used }>> = {
      ...limitTable,
      ...shareTable,
      ...apiLimits,
    };
    for (const { name, used } of await shownTo('Bearer a-key'))
      expect([name, used !== null]).toEqual([name, told[name]?.used !== undefined]);
  });

  test('says nothing of rates while Redis is away', async () => {
    const { ask } = appFor({ postgres, limits, ratesLeft: { left: async () => undefined } });
    const rows = (await ask({ path: '/v1/limits', headers })).json<Shown[]>();
    for (const name of ['key_rate', 'requests_per_second', 'exports'])
      expect(rows.find((row) => row.name === name)?.used).toBeNull();
  });

  test('shows the operator a tenant, without a rate', async () => {
    const shown = await shownTo(adminAuthorization);
    expect(shown.find(({ name }) => name === 'key_rate')?.limit).toBeNull();
    expect(shown.find(({ name }) => name === 'endpoints')?.limit).toBe(7);
  });
});

test('no two limits of all services have one name', () => {
  const names = limitRows().map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(otherLimits)).toEqual(['api', 'ingress', 'console']);
});
