import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { operatorToken, problemReply, tenantToken } from '../../support/console/fake-api.ts';
import { textOf } from '../../support/console/read-page.ts';

const noStats = {
  step: '1h',
  by: null,
  since: '2025-12-31T16:00:00.000000Z',
  until: '2026-01-01T16:00:00.000000Z',
  counted_since: null,
  series: [],
};
const limits = { sources: 100, endpoints: 1_000, api_keys: 100 };
const tenant = (id: string, sources: number, endpoints: number) => ({
  id,
  name: '',
  limits,
  own_limits: {},
  counts: { sources, endpoints, api_keys: 1, source_bytes: 0, endpoint_bytes: 0 },
});

/** A console whose API has tenants, and nothing in the one that is looked at. */
function buildEmptyConsole() {
  const console = buildTestConsole();
  const { api } = console;
  api.on('GET /v1/stats', { body: noStats });
  for (const list of ['endpoints', 'replays', 'sources', 'events', 'deliveries', 'api-keys', 'sessions'])
    api.on(`GET /v1/${list}`, { body: [] });
  api.on('POST /v1/dead-letters/replay', {
    status: 202,
    body: { dry_run: true, matched: 0, left_out: 0, by_reason: [] },
  });
  api.on('GET /v1/tenants', {
    body: [tenant('default', 2, 2), tenant('hooks', 1, 2), tenant('idle', 0, 0), tenant('shop', 0, 1)],
  });
  return console;
}

const sections = ['/sources', '/endpoints', '/deliveries', '/replays', '/keys', '/sessions', '/events', ''];

test.each(sections)('commands of an empty tenant name it, and none names the usual tenant: %j', async (section) => {
  const { get } = buildEmptyConsole();
  const commandsOf = (body: string) => [...body.matchAll(/data-text="([^"]*hookline [^"]+)"/g)].map(([, text]) => text);
  const ofAcme = commandsOf((await get(`/t/acme${section}`, tenantToken)).body);
  expect(ofAcme).not.toEqual([]);
  for (const command of ofAcme) expect(command).toMatch(/^\.\/hookline .+ --tenant acme$/);
  const usual = commandsOf((await get(`/t/default${section}`, operatorToken)).body);
  expect(usual).toHaveLength(ofAcme.length);
  for (const command of usual) expect(command).toMatch(/^\.\/hookline (?!.*--tenant)/);
});

describe.each(['', '/events'])('the empty page %j', (section) => {
  test('tells the operator which other tenants are in use', async () => {
    const { get } = buildEmptyConsole();
    const { statusCode, body } = await get(`/t/default${section}`, operatorToken);
    expect(statusCode).toBe(200);
    expect(textOf(body)).toContain('This tenant is empty');
    expect(textOf(body)).toContain('hooks 1 source, 2 endpoints');
    for (const id of ['hooks', 'shop']) expect(body).toContain(`<a href="/t/${id}/events">${id}</a>`);
    for (const id of ['default', 'idle']) expect(body).not.toContain(`<a href="/t/${id}/events">${id}</a>`);
  });

  test('names no other tenant to a session of one tenant, and does not ask for any', async () => {
    const { get, api } = buildEmptyConsole();
    const { body } = await get(`/t/acme${section}`, tenantToken);
    expect(body).not.toContain('This tenant is empty');
    expect(api.calls.filter(({ path }) => path.startsWith('/v1/tenants'))).toEqual([]);
  });

  test('names none where no other is in use, where the tenant is not empty, and where tenants can’t be listed', async () => {
    const alone = buildEmptyConsole();
    alone.api.on('GET /v1/tenants', { body: [tenant('default', 2, 2)] });
    expect((await alone.get(`/t/default${section}`, operatorToken)).body).not.toContain('This tenant is empty');

    const { get, api } = buildEmptyConsole();
    api.on('GET /v1/tenants', problemReply(503, 'unavailable'));
    const away = await get(`/t/default${section}`, operatorToken);
    expect([away.statusCode, away.body.includes('This tenant is empty')]).toEqual([200, false]);

    const used = buildEmptyConsole();
    used.api.on('GET /v1/sources', { body: [{ id: 'src_1', name: 'Stripe', ingest_url: 'https://in.example/' }] });
    expect((await used.get(`/t/default${section}`, operatorToken)).body).not.toContain('This tenant is empty');
  });
});
