import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const source = { name: 'a', scheme: 'hookline' };
const endpoint = { url: 'https://example.com' };
const half = '\ud800';

/** Each has the form that its field asks for, and was 500 while it got as far as the database. */
test.each<[path: string, body: object, field: string]>([
  ['/v1/sources', { ...source, verify_token: half }, '/verify_token'],
  ['/v1/sources', { ...source, dedup_id: `/${half}` }, '/dedup_id'],
  ['/v1/sources', { ...source, event_type_from: [`/a/${half}`] }, '/event_type_from/0'],
  ['/v1/sources', { ...source, ordering_key: [`/a/${half}`] }, '/ordering_key/0'],
  ['/v1/endpoints', { ...endpoint, source_ids: ['a\0'] }, '/source_ids/0'],
  ['/v1/dead-letters/replay', { ids: ['dl_\0'] }, '/ids/0'],
  ['/v1/dead-letters/replay', { ids: [`dl_${half}`] }, '/ids/0'],
  ['/v1/dead-letters/replay', { reason: half }, '/reason'],
  ['/v1/dead-letters/replay', { event_type: `a${half}`, all: true }, '/event_type'],
])('%s refuses %j at %s', async (path, body, field) => {
  const answer = await api.ask({ method: 'POST', path, body });
  expect(answer.json()).toMatchObject({ status: 400, code: 'validation_failed', errors: [{ field }] });
});

test('a payload of such texts is taken, and given back as it came', async () => {
  const payload = '{"a\\u0000":"\\ud800", "b":["\\u0000"]}';
  const body = `{"type":"a","payload":${payload}}`;
  const published = await api.ask({ method: 'POST', path: '/v1/events', body, headers: json });
  expect(published.status).toBe(202);
  const { id } = published.json<{ id: string }>();
  expect((await api.ask({ path: `/v1/events/${id}/payload` })).text).toBe(payload);
  expect((await api.ask({ path: `/v1/events/${id}` })).text).toContain(`"payload":${payload}`);
});

const json = { 'content-type': 'application/json' };
