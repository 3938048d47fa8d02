/** The rights of a portal session: each capability by each route of the API. */
import { capabilities, type Capability } from '#lib/api-contract';
import { networksOf } from '#lib/net';
import type { KnownSession } from '../../../services/api/keys/session-directory.ts';
import { closeApps } from './ask.ts';
import { buildTestApp, postgresOf, testRoutes } from './build-test-app.ts';

afterEach(closeApps);

/** Written out: a route that is opened to customers is opened here, too. */
const open: Readonly<Record<string, Capability | 'any'>> = {
  'GET /v1/me': 'any',
  'GET /v1/endpoints': 'view',
  'GET /v1/endpoints/:id': 'view',
  'GET /v1/endpoints/:id/health': 'view',
  'GET /v1/events': 'view',
  'GET /v1/events/:id': 'view',
  'GET /v1/events/:id/payload': 'view',
  'GET /v1/events/:id/request': 'view',
  'GET /v1/events/:id/deliveries': 'view',
  'GET /v1/deliveries': 'view',
  'GET /v1/deliveries/:id': 'view',
  'GET /v1/deliveries/:id/attempts': 'view',
  'GET /v1/replays': 'view',
  'GET /v1/replays/:id': 'view',
  'GET /v1/replays/:id/items': 'view',
  'GET /v1/event-types': 'view',
  'GET /v1/event-types/:name': 'view',
  'GET /v1/event-types/:name/versions': 'view',
  'GET /v1/event-types/:name/versions/:version': 'view',
  'POST /v1/events/replay': 'replay',
  'POST /v1/events/:id/replay': 'replay',
  'POST /v1/deliveries/retry': 'replay',
  'POST /v1/deliveries/:id/retry': 'replay',
  'POST /v1/endpoints/:id/recover': 'replay',
  'DELETE /v1/replays/:id': 'replay',
  'POST /v1/endpoints': 'endpoints',
  'PATCH /v1/endpoints/:id': 'endpoints',
  'DELETE /v1/endpoints/:id': 'endpoints',
  'POST /v1/endpoints/:id/enable': 'endpoints',
  'POST /v1/endpoints/:id/disable': 'endpoints',
  'POST /v1/endpoints/:id/pause': 'endpoints',
  'POST /v1/endpoints/:id/probe': 'endpoints',
  'POST /v1/endpoints/:id/resume': 'endpoints',
  'POST /v1/endpoints/:id/test': 'endpoints',
  'POST /v1/endpoints/:id/rotate-secret': 'secrets',
};

const portalSession = (granted: readonly Capability[], tenant = 'acme'): KnownSession => ({
  id: 'ses_portal',
  tenant,
  scopes: [],
  key: undefined,
  portal: { link_id: 'lnk_1', capabilities: granted, return_url: null, accent: null },
  expiresAt: '2200-01-01T00:00:00.000000Z',
});
const token = `hs_${'0'.repeat(26)}_${'0'.repeat(64)}`;
const headers = { authorization: `Bearer ${token}` };

function appFor(granted: readonly Capability[], given: Parameters<typeof buildTestApp>[0] = {}) {
  const postgres = postgresOf(async () => []);
  return buildTestApp({ postgres, findSession: async () => portalSession(granted), ...given });
}

const withKey = testRoutes()
  .filter(({ config }) => config?.operation?.isPublic !== true)
  .map(({ method, url }) => ({
    method: String(method),
    name: `${String(method)} ${url}`,
    path: url.replace(':id', 'x').replace(':name', 'x').replace(':version', '1'),
  }));

test('every route that the table opens is there', () => {
  const names = withKey.map(({ name }) => name);
  expect(Object.keys(open).filter((name) => !names.includes(name))).toEqual([]);
});

test.each([...capabilities.map((one) => [one]), [...capabilities], []].map((granted) => [granted]))(
  'a link with %j opens the routes of these, and no other',
  async (granted) => {
    const { ask } = appFor(granted);
    for (const { method, name, path } of withKey) {
      const needed = open[name];
      const isOpen = needed === 'any' || (needed !== undefined && granted.includes(needed));
      const answer = await ask({ method, path, headers });
      expect([name, answer.status === 403]).toEqual([name, !isOpen]);
      if (isOpen) continue;
      const { detail } = answer.json<{ detail: string }>();
      expect([name, detail]).toEqual([
        name,
        needed === undefined
          ? 'Portal sessions may not do this'
          : `The portal session does not have the capability ${needed}`,
      ]);
    }
  },
);

test('a dry run needs the capability, too', async () => {
  const { ask } = appFor(['view']);
  for (const path of ['/v1/events/replay', '/v1/deliveries/retry', '/v1/deliveries/cancel']) {
    const body = { all: true, dry_run: true };
    const answer = await ask({
      method: 'POST',
      path,
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    expect([path, answer.status]).toEqual([path, 403]);
  }
});

test('it ends itself, and no other session', async () => {
  const { ask } = appFor(['view']);
  const end = (id: string) => ask({ method: 'DELETE', path: `/v1/sessions/${id}`, headers });
  expect((await end('ses_portal')).status).toBe(404);
  expect((await end('ses_other')).status).toBe(403);
});

test('it names no other tenant, and not all', async () => {
  const { ask } = appFor(capabilities);
  for (const tenant of ['other', '*', 'default'])
    expect([
      tenant,
      (await ask({ path: '/v1/me', headers: { ...headers, 'hookline-tenant': tenant } })).status,
    ]).toEqual([tenant, 403]);
  const me = (await ask({ path: '/v1/me', headers })).json();
  expect(me).toMatchObject({ tenant: 'acme', all_tenants: false, scopes: [], portal: { capabilities } });
});

test('codes are counted by the client’s own address, and looks at links take nothing from redeeming', async () => {
  const buckets: string[] = [];
  const { app } = appFor([], {
    limiter: { take: async (bucket) => (buckets.push(bucket), { granted: false, retryAfterMs: 1_000 }) },
    trustedProxies: networksOf(['127.0.0.1']),
  });
  const redeem = (path: string, body: object, address: string) =>
    app.inject({ method: 'POST', url: `/v1/${path}/redeem`, payload: body, headers: { 'x-forwarded-for': address } });
  const answers = [
    await redeem('portal-links', { code: 'c', dry_run: true }, '192.0.2.7'),
    await redeem('portal-links', { code: 'c' }, '2001:db8:1:2::9'),
    await redeem('sessions', { code: 'c' }, '192.0.2.8'),
    // No browser behind a proxy, but one that says so.
    await app.inject({
      method: 'POST',
      url: '/v1/sessions/redeem',
      payload: { code: 'c' },
      remoteAddress: '203.0.113.9',
      headers: { 'x-forwarded-for': '192.0.2.8' },
    }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([429, 429, 429, 429]);
  expect(buckets).toEqual([
    ...['redeem:look:192.0.2.7', 'redeem:link:2001:db8:1:2::/64', 'redeem:session:192.0.2.8'],
    'redeem:session:203.0.113.9',
  ]);
});

test('it has a rate of its own, though the key of its link is the operator’s, which has none', async () => {
  const buckets: string[] = [];
  const { ask } = appFor(['view'], {
    limiter: { take: async (bucket) => (buckets.push(bucket), { granted: false, retryAfterMs: 1_000 }) },
  });
  expect((await ask({ path: '/v1/me', headers })).status).toBe(429);
  expect(buckets).toEqual(['acme:ses_portal']);
});
