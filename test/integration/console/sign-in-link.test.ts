/** A link of `hookline console --to` before the real API: its code signs in once, to the page that it names. */
import type { Transport } from '#client';
import { systemClock } from '#lib/runtime';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { openPortalWorld, type PortalWorld } from '../api/portal-world.ts';

let world: PortalWorld;
let shown: ReturnType<typeof buildTestConsole>;
beforeAll(async () => {
  world = await openPortalWorld();
  shown = buildTestConsole({ transport: throughApi, clock: systemClock });
});
afterAll(async () => {
  await shown.app.close();
  await world.close();
});

const throughApi: Transport = async ({ method, path, headers, body }) => {
  const answer = await world.customers.ask({ method, path, headers, ...(body !== undefined && { body }) });
  return { status: answer.status, bytes: answer.bytes, header: (name) => answer.headers[name] };
};

async function makeCode(): Promise<string> {
  const answer = await world.api.ask({ method: 'POST', path: '/v1/sessions', body: { code: true, tenant: '*' } });
  return answer.json<{ code: string }>().code;
}

test('a code signs in to the page of the link, which is then shown', async () => {
  const code = await makeCode();
  const to = '/t/acme/endpoints?status=enabled';
  const opened = await shown.post('/session/code', { code, to });
  expect([opened.statusCode, opened.headers.location]).toEqual([303, to]);
  const [token] = /hs_[^;]+/.exec(String(opened.headers['set-cookie'])) ?? [];
  expect((await shown.get(String(opened.headers.location), token)).statusCode).toBe(404);
  expect((await shown.get('/t/acme/endpoints', token)).statusCode).toBe(200);
  expect((await shown.post('/session/code', { code, to })).statusCode).toBe(401);
});

test('a link that leads elsewhere is refused, and leaves its code usable', async () => {
  const code = await makeCode();
  const refused = await shown.post('/session/code', { code, to: '//evil.example/' });
  expect([refused.statusCode, refused.headers.location, refused.headers['set-cookie']]).toEqual([
    400,
    undefined,
    undefined,
  ]);
  expect((await shown.post('/session/code', { code, to: '/t/acme' })).headers.location).toBe('/t/acme');
});
