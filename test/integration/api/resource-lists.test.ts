/** The lists of endpoints and sources by their filters, which combine. */
import { type OpenApi, openApi } from './api-over-database.ts';

const tenant = 'acme';
let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const create = async (path: string, body: object): Promise<string> =>
  (await api.ask({ method: 'POST', path, body, tenant })).json<{ id: string }>().id;
/** In no order: those of one millisecond have none. */
const idsOf = async (path: string, of = tenant): Promise<string[]> => {
  const { status, text, json } = await api.ask({ path, tenant: of });
  expect([path, status, text]).toEqual([path, 200, text]);
  return json<{ id: string }[]>()
    .map(({ id }) => id)
    .sort();
};

test('endpoints are listed by status, failure and text', async () => {
  const urls = ['https://one.example/a', 'https://two.example/B', 'https://three.example/c', 'https://four.example/d'];
  const ids: string[] = [];
  for (const url of urls) ids.push(await create('/v1/endpoints', { url, description: `of ${url.slice(-1)} 100%_` }));
  const [enabled = '', paused = '', disabled = '', failing = ''] = ids;
  const post = (id: string, verb: string) => api.ask({ method: 'POST', path: `/v1/endpoints/${id}/${verb}`, tenant });
  await post(paused, 'pause');
  await post(disabled, 'disable');
  await api.postgres.query('UPDATE endpoints SET failing_since = clock_timestamp() WHERE id = $1', [failing]);

  expect(await idsOf('/v1/endpoints?status=enabled')).toEqual([enabled, paused, failing].sort());
  expect(await idsOf('/v1/endpoints?status=paused')).toEqual([paused]);
  expect(await idsOf('/v1/endpoints?status=disabled')).toEqual([disabled]);
  expect(await idsOf('/v1/endpoints?failing=true')).toEqual([failing]);
  expect(await idsOf('/v1/endpoints?failing=false&status=enabled')).toEqual([enabled, paused].sort());
  // In the URL or the description, whatever the case; no character has a meaning of its own.
  expect(await idsOf('/v1/endpoints?q=TWO.example')).toEqual([paused]);
  expect(await idsOf('/v1/endpoints?q=OF%20c')).toEqual([disabled]);
  expect(await idsOf(`/v1/endpoints?q=${encodeURIComponent('100%_')}`)).toEqual(ids.toSorted());
  expect(await idsOf('/v1/endpoints?q=%25')).toEqual(ids.toSorted());
  expect(await idsOf('/v1/endpoints?q=nowhere')).toEqual([]);
  expect(await idsOf('/v1/endpoints?status=enabled', 'other')).toEqual([]);
  // The pause is over.
  await api.postgres.query(`UPDATE endpoints SET paused_until = clock_timestamp() - interval '1 s' WHERE id = $1`, [
    paused,
  ]);
  expect(await idsOf('/v1/endpoints?status=paused')).toEqual([]);
  for (const wrong of ['status=open', 'failing=yes', 'q=', 'colour=red'])
    expect([wrong, (await api.ask({ path: `/v1/endpoints?${wrong}`, tenant })).status]).toEqual([wrong, 400]);
});

test('sources are listed by failure and text', async () => {
  const ids: string[] = [];
  for (const name of ['Shop', 'GitHub', 'partner', 'quiet'])
    ids.push(await create('/v1/sources', { name, scheme: 'hookline' }));
  const [rejects = '', accepts = '', longAgo = '', quiet = ''] = ids;
  const count = (dimension: string, key: string, minutesAgo: number, series: string) =>
    api.postgres.query(
      `INSERT INTO stats (tenant, dimension, step, key, at, ${series})
       VALUES ($1, $2, 'minute', $3, date_trunc('minute', clock_timestamp()) - $4 * interval '1 minute', 3)`,
      [tenant, dimension, key, minutesAgo],
    );
  await count('source/rejected', rejects, 2, 'rejected');
  await count('source', rejects, 30, 'received');
  await count('source/rejected', accepts, 2, 'rejected');
  await count('source', accepts, 9, 'duplicates');
  await count('source/rejected', longAgo, 20, 'rejected');

  expect(await idsOf('/v1/sources?failing=true')).toEqual([rejects]);
  expect(await idsOf('/v1/sources?failing=false')).toEqual([accepts, longAgo, quiet].sort());
  expect(await idsOf('/v1/sources?failing=true&q=shop')).toEqual([rejects]);
  expect(await idsOf('/v1/sources?failing=true&q=git')).toEqual([]);
  expect(await idsOf('/v1/sources?q=HUB')).toEqual([accepts]);
  expect(await idsOf('/v1/sources?q=e&limit=1')).toHaveLength(1);
  for (const wrong of ['failing=1', 'q=', 'status=enabled'])
    expect([wrong, (await api.ask({ path: `/v1/sources?${wrong}`, tenant })).status]).toEqual([wrong, 400]);
});
