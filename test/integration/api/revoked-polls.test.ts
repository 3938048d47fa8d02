/** Requests that are held end with the credential that they were made with, and give nothing after. */
import type { Answer } from '../../unit/api/ask.ts';
import { authorization } from '../../unit/api/build-test-app.ts';
import { eventFact, fanOutFact } from '../../unit/projector/facts.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { project } from '../projector/projection.ts';
import { openPollingApi, type PollingApi } from './polling-api.ts';

let api: PollingApi;
beforeAll(async () => {
  api = await openPollingApi({ credentials: true });
});
afterAll(() => api.close());

const operator = (method: string, path: string, tenant: string, body?: object): Promise<Answer> =>
  api.ask({
    method,
    path,
    tenant,
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  });

async function made<T>(path: string, tenant: string, body: object): Promise<T> {
  const answer = await operator('POST', path, tenant, body);
  expect([answer.status, answer.text]).toEqual([expect.any(Number), expect.stringContaining('{')]);
  return answer.json<T>();
}

const keyOf = (tenant: string) =>
  made<{ id: string; key: string }>('/v1/api-keys', tenant, { name: 'k', scopes: ['read', 'admin'] });

async function sessionOf(tenant: string): Promise<{ id: string; token: string; key: { id: string } }> {
  const key = await keyOf(tenant);
  const answer = await api.ask({
    method: 'POST',
    path: '/v1/sessions',
    tenant,
    body: { scopes: ['read'] },
    headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
  });
  return { ...answer.json<{ id: string; token: string }>(), key };
}

async function portalOf(tenant: string): Promise<{ link: string; token: string }> {
  const link = await made<{ id: string; code: string }>('/v1/portal-links', tenant, { capabilities: ['view'] });
  const redeemed = await operator('POST', '/v1/portal-links/redeem', tenant, { code: link.code });
  return { link: link.id, token: redeemed.json<{ token: string }>().token };
}

/** A poll that is held, as this credential. */
async function hold(tenant: string, credential: string): Promise<Promise<Answer>[]> {
  const before = await api.waiting();
  const answer = api.ask({
    path: '/v1/events?wait=30',
    tenant,
    headers: { authorization: `Bearer ${credential}` },
  });
  await waitUntil('it is held', async () => (await api.waiting()) > before, { everyMs: 5 });
  return [answer];
}

const cases: [string, number, (tenant: string) => Promise<{ credential: string; end(): Promise<Answer> }>][] = [
  [
    'the revocation of its key',
    401,
    async (tenant) => {
      const { id, key } = await keyOf(tenant);
      return { credential: key, end: () => operator('DELETE', `/v1/api-keys/${id}`, tenant) };
    },
  ],
  [
    'the end of its session',
    401,
    async (tenant) => {
      const { id, token } = await sessionOf(tenant);
      return { credential: token, end: () => operator('DELETE', `/v1/sessions/${id}`, tenant) };
    },
  ],
  [
    'the revocation of its session’s key',
    401,
    async (tenant) => {
      const { token, key } = await sessionOf(tenant);
      return { credential: token, end: () => operator('DELETE', `/v1/api-keys/${key.id}`, tenant) };
    },
  ],
  [
    'the revocation of its portal link',
    401,
    async (tenant) => {
      const { link, token } = await portalOf(tenant);
      return { credential: token, end: () => operator('DELETE', `/v1/portal-links/${link}`, tenant) };
    },
  ],
  [
    'the removal of its tenant, whoever asks',
    410,
    async (tenant) => ({
      credential: authorization.slice('Bearer '.length),
      async end() {
        // As the route writes it, whose job removes the rows.
        await api.postgres.query(`INSERT INTO erased (tenant, id, erasure_id) VALUES ($1, '', 'era_x')`, [tenant]);
        return operator('GET', '/v1/sources', 'another');
      },
    }),
  ],
];

test.each(cases)(
  'a held poll ends within five seconds of %s, and gives nothing after',
  async (what, status, prepare) => {
    const tenant = `tenant-${cases.findIndex(([name]) => name === what)}`;
    const { credential, end } = await prepare(tenant);
    const [answer] = await hold(tenant, credential);
    expect((await end()).status).toBeLessThan(300);
    const endedAt = Date.now();
    const ended = await answer;
    expect([ended?.status, Date.now() - endedAt < 5_000]).toEqual([status, true]);
    expect(ended?.headers).not.toHaveProperty('hookline-cursor');
  },
);

test('an event that comes between the revocation and the next look goes to nobody', async () => {
  const tenant = 'late';
  const { id, key } = await keyOf(tenant);
  const [answer] = await hold(tenant, key);
  await operator('DELETE', `/v1/api-keys/${id}`, tenant);
  // The process has heard of the revocation.
  await waitUntil(
    'the key counts no more',
    async () =>
      (await api.ask({ path: '/v1/sources', tenant, headers: { authorization: `Bearer ${key}` } })).status === 401,
    { everyMs: 5 },
  );
  await project(api.postgres, [
    eventFact({ tenant, eventId: 'evt_late' }),
    fanOutFact({ tenant, eventId: 'evt_late' }, []),
  ]);
  const ended = await answer;
  expect([ended?.status, ended?.text.includes('evt_late')]).toEqual([401, false]);
});
