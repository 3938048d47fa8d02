import { createId } from '#lib/runtime';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const createSource = async (tenant = 'default'): Promise<string> => {
  const body = { name: 's', scheme: 'github' };
  return (await api.ask({ method: 'POST', path: '/v1/sources', body, tenant })).json<{ id: string }>().id;
};

async function reject(
  sourceId: string,
  given: { ms?: number; tenant?: string; body?: Buffer; bodyBytes?: number } = {},
): Promise<string> {
  const { ms = Date.now(), tenant = 'default', body = null, bodyBytes = body?.length ?? null } = given;
  const id = createId('rej', ms);
  await api.postgres.query(
    `INSERT INTO rejections (tenant, source_id, id, at, code, client_address, headers, body_bytes, body)
     VALUES ($1, $2, $3, to_timestamp($4::double precision / 1000), 'signature_invalid', '192.0.2.7', $5, $6, $7)`,
    [tenant, sourceId, id, ms, JSON.stringify({ 'x-hub-signature-256': 'sha256=00' }), bodyBytes, body],
  );
  return id;
}

test('rejections are shown with their reason, the newest first, page by page', async () => {
  const source = await createSource();
  expect((await api.ask({ path: `/v1/sources/${source}/rejections` })).json()).toEqual([]);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.unshift(await reject(source, { ms: Date.UTC(2026, 0, 1) + n }));
  await reject(await createSource());

  const pages: { id: string }[][] = [];
  for (let path: string | undefined = `/v1/sources/${source}/rejections?limit=2`; path !== undefined;) {
    const answer = await api.ask({ path });
    pages.push(answer.json());
    path = nextPath(answer.headers.link);
  }
  expect(pages.map((page) => page.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  expect(pages[2]?.[0]).toEqual({
    id: ids[4],
    at: '2026-01-01T00:00:00.000000Z',
    code: 'signature_invalid',
    client_address: '192.0.2.7',
    headers: { 'x-hub-signature-256': 'sha256=00' },
    body_bytes: null,
  });
});

test.each([
  [
    'text is shown as text',
    Buffer.from('{"ä":1}'),
    undefined,
    { body: '{"ä":1}', body_encoding: 'utf-8', body_truncated: false },
  ],
  [
    'bytes are shown as base64',
    Buffer.from([0xff, 0]),
    undefined,
    { body: '/wA=', body_encoding: 'base64', body_truncated: false },
  ],
  [
    'text that was cut within a character is text',
    Buffer.from('ab€').subarray(0, 4),
    900,
    { body: 'ab', body_encoding: 'utf-8', body_truncated: true },
  ],
])('of the body, where it is kept, %s', async (_what, body, bodyBytes, shown) => {
  const source = await createSource();
  await reject(source, { body, ...(bodyBytes !== undefined && { bodyBytes }) });
  const [rejection] = (await api.ask({ path: `/v1/sources/${source}/rejections` })).json<object[]>();
  expect(rejection).toMatchObject({ ...shown, body_bytes: bodyBytes ?? body.length });
});

test('another tenant’s are not shown, and a cursor that was not given out is refused', async () => {
  const source = await createSource('acme');
  await reject(source, { tenant: 'acme' });
  const path = `/v1/sources/${source}/rejections`;
  expect((await api.ask({ path, tenant: 'rival' })).status).toBe(404);
  expect((await api.ask({ path, tenant: 'acme' })).json()).toHaveLength(1);
  const refused = await api.ask({ path: `${path}?cursor=x`, tenant: 'acme' });
  expect(refused.json()).toMatchObject({ status: 400, errors: [{ field: 'cursor' }] });
});
