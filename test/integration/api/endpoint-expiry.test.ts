/** Temporary endpoints: made with `expires_in`, deleted at their time. */
import { silentLogger, systemClock } from '#lib/runtime';
import { deleteExpiredEndpoints } from '../../../services/api/endpoints/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

const tenant = 'acme';
let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

interface Endpoint {
  id: string;
  url: string;
  created_at: string;
  expires_at: string | null;
}

const url = 'https://receiver.example/';
const create = (body: object) => api.ask({ method: 'POST', path: '/v1/endpoints', body: { url, ...body }, tenant });
const read = (id: string) => api.ask({ path: `/v1/endpoints/${id}`, tenant });
const patch = (id: string, body: object, headers = {}) =>
  api.ask({ method: 'PATCH', path: `/v1/endpoints/${id}`, body, tenant, headers });
const secondsLeft = ({ expires_at: at }: Endpoint): number => (Date.parse(at ?? '') - Date.now()) / 1_000;
const expire = (id: string) =>
  api.postgres.query("UPDATE endpoints SET expires_at = clock_timestamp() - interval '1 s' WHERE id = $1", [id]);

test('an endpoint without expires_in lasts; one with it shows its end', async () => {
  expect((await create({})).json()).toMatchObject({ expires_at: null });
  const made = (await create({ expires_in: 300 })).json<Endpoint>();
  expect(Date.parse(made.expires_at ?? '') - Date.parse(made.created_at)).toBe(300_000);
  expect((await read(made.id)).json()).toMatchObject({ expires_at: made.expires_at });
});

test('its end is moved by a change of expires_in alone, and taken away by null', async () => {
  const { id } = (await create({ expires_in: 60 })).json<Endpoint>();
  const { etag } = (await read(id)).headers;
  expect((await patch(id, { expires_in: 60 })).headers.etag).toBe(etag);
  const kept = (await patch(id, { description: 'd' })).json<Endpoint>();
  expect(secondsLeft(kept)).toBeLessThan(61);
  const moved = (await patch(id, { expires_in: 3_600 })).json<Endpoint>();
  expect([moved.url, secondsLeft(moved) > 3_500]).toEqual([url, true]);
  expect((await patch(id, { expires_in: null })).json()).toMatchObject({ expires_at: null });
});

test.each([59, 2_592_001, 60.5, '60', 0, -1])('expires_in %j is refused by its name', async (expiresIn) => {
  const refused = await create({ expires_in: expiresIn });
  expect([refused.status, refused.text.includes('/expires_in')]).toEqual([400, true]);
});

test('what is over is deleted as by a client: 410, not listed, its room free; the rest stays', async () => {
  const [over, later, lasting] = await Promise.all(
    [{ expires_in: 60 }, { expires_in: 60 }, {}].map(async (body) => (await create(body)).json<Endpoint>().id),
  );
  const live = async (): Promise<number> =>
    Number(
      (
        await api.postgres.query<{ live: string }>(
          "SELECT live FROM tenant_resources WHERE tenant = $1 AND kind = 'endpoints'",
          [tenant],
        )
      )[0]?.live,
    );
  const before = await live();
  await expire(over ?? '');
  const deps = { postgres: api.postgres, clock: systemClock, log: silentLogger };
  // Several processes at once, as in a stack.
  const parts = [deleteExpiredEndpoints(deps), deleteExpiredEndpoints(deps)];
  await Promise.all(parts.map((part) => part.start()));
  try {
    const gone = async (): Promise<boolean> => (await read(over ?? '')).status === 410;
    await waitUntil('it is deleted', gone, { timeoutMs: 20_000 });
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
  }
  expect([(await read(later ?? '')).status, (await read(lasting ?? '')).status]).toEqual([200, 200]);
  const listed = (await api.ask({ path: '/v1/endpoints', tenant })).json<Endpoint[]>().map(({ id }) => id);
  expect(listed).not.toContain(over);
  expect(listed).toEqual(expect.arrayContaining([later, lasting]));
  expect(await live()).toBe(before - 1);
  expect((await patch(over ?? '', { expires_in: 300 })).status).toBe(410);
});

test('another tenant’s temporary endpoint can’t be prolonged', async () => {
  const { id } = (await create({ expires_in: 60 })).json<Endpoint>();
  const other = await api.ask({
    method: 'PATCH',
    path: `/v1/endpoints/${id}`,
    body: { expires_in: 3_600 },
    tenant: 'other',
  });
  expect(other.status).toBe(404);
  expect(secondsLeft((await read(id)).json<Endpoint>())).toBeLessThan(61);
});
