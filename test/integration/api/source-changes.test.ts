import { secretsContext, type StoredSecret } from '#lib/contract';
import { systemClock } from '#lib/runtime';
import { testSecretBox } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

interface SourceJson {
  id: string;
  secret: string;
  [field: string]: unknown;
}

let api: OpenApi;
beforeAll(async () => {
  api = await openApi({ clock: systemClock });
});
afterAll(() => api.close());

const create = async (body: object = {}): Promise<SourceJson> => {
  const answer = await api.ask({
    method: 'POST',
    path: '/v1/sources',
    body: { name: 'shop', scheme: 'hookline', ...body },
  });
  expect(answer.status).toBe(201);
  return answer.json<SourceJson>();
};
const read = (id: string) => api.ask({ path: `/v1/sources/${id}` });
const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  api.ask({ method: 'PATCH', path: `/v1/sources/${id}`, body: JSON.stringify(body), headers });
const rotate = (id: string, body?: object) =>
  api.ask({ method: 'POST', path: `/v1/sources/${id}/rotate-secret`, ...(body && { body }) });

const stored = async (id: string): Promise<StoredSecret[]> => {
  const [row] = await api.postgres.query<{ secrets: Buffer }>('SELECT secrets FROM sources WHERE id = $1', [id]);
  const opened = testSecretBox.open(row?.secrets ?? Buffer.alloc(0), secretsContext('sources', 'default', id));
  return JSON.parse(opened) as StoredSecret[];
};

describe('a PATCH', () => {
  test('changes what it names, leaves the rest, and is what a GET then shows', async () => {
    const source = await create({ dedup_id: '/id', rate_limit: { per_second: 1, burst: 2 } });
    const answer = await patch(source.id, { name: 'renamed', response_status: 200, rate_limit: { burst: 5 } });
    expect(answer.status).toBe(200);
    const after = { ...source, name: 'renamed', response_status: 200, rate_limit: { per_second: 1, burst: 5 } };
    Reflect.deleteProperty(after, 'secret');
    expect(answer.json()).toEqual(after);
    expect((await read(source.id)).json()).toEqual(after);
    expect(await stored(source.id)).toEqual([{ secret: source.secret }]);
  });

  test('by null goes back to the default', async () => {
    const source = await create({ dedup_id: '/id', dedup_ttl_seconds: 60, verify_token: 'hush' });
    const answer = await patch(source.id, { dedup_id: null, dedup_ttl_seconds: null, verify_token: null });
    expect(answer.json()).toMatchObject({ dedup_ttl_seconds: 259_200 });
    for (const field of ['dedup_id', 'verify_token_set']) expect(answer.json()).not.toHaveProperty(field);
    const [row] = await api.postgres.query<{ settings: object }>('SELECT settings FROM sources WHERE id = $1', [
      source.id,
    ]);
    expect(row?.settings).toEqual({});
  });

  test('may come as application/merge-patch+json', async () => {
    const { id } = await create();
    const answer = await patch(id, { name: 'x' }, { 'content-type': 'application/merge-patch+json' });
    expect([answer.status, answer.json()]).toEqual([200, expect.objectContaining({ name: 'x' })]);
  });

  test.each([
    [{ name: null }, '/name'],
    [{ name: '' }, '/name'],
    [{ nam: 'x' }, '/nam'],
    [{ nam: null }, '/nam'],
    [{ scheme: 'github' }, '/scheme'],
    [{ secret: 'another' }, '/secret'],
    [{ dedup_id: ['id'] }, '/dedup_id/0'],
    [{ rate_limit: { burst: 5 } }, '/rate_limit/per_second'],
    [{ allowed_ips: ['nowhere'] }, '/allowed_ips/0'],
    [{ hmac: { algorithm: 'sha1', encoding: 'hex', header: 'X', signed: 'body' } }, '/hmac'],
    [['name'], '(body)'],
    [null, '(body)'],
  ])('of %j is refused at %s, and changes nothing', async (body, field) => {
    const { id } = await create();
    const before = await read(id);
    const answer = await patch(id, body);
    expect(answer.json()).toMatchObject({ status: 400, code: 'validation_failed', errors: [{ field }] });
    expect((await read(id)).text).toBe(before.text);
    expect((await read(id)).headers.etag).toBe(before.headers.etag);
  });

  test('that takes from a scheme what it needs is refused: relations are judged on what comes of it', async () => {
    const { id } = await create({ scheme: 'square', public_url: 'https://example.com/in' });
    expect((await patch(id, { public_url: null })).json()).toMatchObject({ errors: [{ field: '/public_url' }] });
    expect((await patch(id, { public_url: 'https://example.com/other' })).status).toBe(200);
  });
});

describe('If-Match', () => {
  test('lets a change through only while the source is as the client knows it', async () => {
    const { id } = await create();
    const { etag = '' } = (await read(id)).headers;
    const changed = await patch(id, { name: 'first' }, { 'if-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
    expect((await read(id)).headers.etag).toBe(changed.headers.etag);

    for (const asking of [
      { method: 'PATCH', path: `/v1/sources/${id}`, body: { name: 'second' } },
      { method: 'POST', path: `/v1/sources/${id}/rotate-secret`, body: {} },
      { method: 'DELETE', path: `/v1/sources/${id}` },
    ]) {
      const stale = await api.ask({ ...asking, headers: { 'if-match': etag } });
      expect(stale.json()).toMatchObject({ status: 412, code: 'precondition_failed' });
    }
    expect((await read(id)).json()).toMatchObject({ name: 'first' });
    expect((await patch(id, { name: 'third' }, { 'if-match': '*' })).status).toBe(200);
  });

  test('lets one of many through that come at once', async () => {
    const { id } = await create();
    const { etag = '' } = (await read(id)).headers;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => patch(id, { name: `n${n}` }, { 'if-match': etag })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(412)]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await read(id)).json()).toEqual(winner?.json());
  });

  test('is not needed: changes of other fields that come at once are all kept', async () => {
    const { id } = await create();
    const settings = { name: 'n', dedup_ttl_seconds: 60, response_status: 200, timestamp_tolerance_seconds: 5 };
    await Promise.all(Object.entries(settings).map(([name, value]) => patch(id, { [name]: value })));
    expect((await read(id)).json()).toMatchObject(settings);
  });
});

describe('a rotation', () => {
  test('shows the new secret once, and keeps the old one for a day', async () => {
    const source = await create();
    const beganAtMs = Date.now();
    const answer = await rotate(source.id);
    expect(answer.status).toBe(200);
    const { secret, previous_expires_at: endsAt } = answer.json<{ secret: string; previous_expires_at: string }>();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(source.secret);
    expect(Date.parse(endsAt) - beganAtMs).toBeGreaterThan(86_400_000 - 1_000);
    expect(Date.parse(endsAt) - beganAtMs).toBeLessThan(86_400_000 + 30_000);
    expect(await stored(source.id)).toEqual([{ secret }, { secret: source.secret, expires_at: endsAt }]);
    expect((await read(source.id)).text).not.toContain(secret);
  });

  test('takes the secret that the provider has made, and no overlap', async () => {
    const { id } = await create();
    const answer = await rotate(id, { secret: 'from the provider', overlap_seconds: 0 });
    expect(answer.json()).toEqual({ secret: 'from the provider', previous_expires_at: null });
    expect(await stored(id)).toEqual([{ secret: 'from the provider' }]);
  });

  test('that comes with others at once loses none of them', async () => {
    const source = await create();
    const answers = await Promise.all(Array.from({ length: 4 }, () => rotate(source.id, { overlap_seconds: 600 })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const given = answers.map((answer) => answer.json<{ secret: string }>().secret);
    const secrets = (await stored(source.id)).map(({ secret }) => secret);
    expect(new Set(secrets)).toEqual(new Set([source.secret, ...given]));
  });

  test('is refused while five secrets are in force, unless it ends them', async () => {
    const { id } = await create();
    for (let n = 0; n < 4; n += 1) expect((await rotate(id)).status).toBe(200);
    expect((await rotate(id)).json()).toMatchObject({ status: 409, code: 'conflict' });
    expect(await stored(id)).toHaveLength(5);
    expect((await rotate(id, { overlap_seconds: 0 })).status).toBe(200);
    expect(await stored(id)).toHaveLength(1);
  });

  test.each([
    [{ overlap_seconds: -1 }, '/overlap_seconds'],
    [{ overlap_seconds: 30 * 24 * 3600 + 1 }, '/overlap_seconds'],
    [{ overlap_seconds: '60' }, '/overlap_seconds'],
    [{ secret: '  ' }, '/secret'],
    [{ scheme: 'github' }, '/scheme'],
  ])('of %j is refused at %s', async (body, field) => {
    const { id, secret } = await create();
    expect((await rotate(id, body)).json()).toMatchObject({ status: 400, errors: [{ field }] });
    expect(await stored(id)).toEqual([{ secret }]);
  });

  test('gives what the scheme can use', async () => {
    const { id } = await create({ scheme: 'adyen' });
    expect((await rotate(id)).json<SourceJson>().secret).toMatch(/^[0-9A-Fa-f]{64}$/);
    expect((await rotate(id, { secret: 'not hex' })).json()).toMatchObject({ errors: [{ field: '/secret' }] });
  });
});

describe('the default identifier', () => {
  const hmac = { algorithm: 'sha256', encoding: 'hex', header: 'X-Signed', signed: 'body' };
  const identifiedBy = async (id: string): Promise<unknown> =>
    (await read(id)).json<{ identified_by: { with: string | null } }>().identified_by.with;

  test.each([
    [
      { scheme: 'hmac', hmac },
      { places: ['/id', '/event_id', '/message_id'], with: 'body' },
    ],
    [
      { scheme: 'hmac', hmac, dedup_id: '/id' },
      { places: ['/id'], with: null },
    ],
    [
      { scheme: 'hmac', hmac, dedup: 'off' },
      { places: ['/id', '/event_id', '/message_id'], with: 'receipt' },
    ],
    [{ scheme: 'github' }, { places: ['header:X-GitHub-Delivery'], with: 'header:X-GitHub-Hook-ID' }],
    [{ scheme: 'hookline' }, { places: ['/id', '/event_id', '/message_id'], with: null }],
    [{ dedup_id: [['/id', '/at'], '/id'] }, { places: [['/id', '/at'], '/id'], with: null }],
  ])('of a new source %j is %j', async (given, shown) => {
    expect((await create(given))['identified_by']).toEqual(shown);
  });

  test('of a source from before stays as it was until `dedup_id` is given', async () => {
    const { id } = await create({ scheme: 'hmac', hmac });
    // As an older api creates it.
    await api.postgres.query('UPDATE sources SET dedup_rule = DEFAULT WHERE id = $1', [id]);
    await patch(id, { name: 'renamed' });
    expect(await identifiedBy(id)).toBeNull();
    await patch(id, { dedup_id: null });
    expect(await identifiedBy(id)).toBe('body');
    await patch(id, { dedup_id: '/id' });
    expect(await identifiedBy(id)).toBeNull();
  });

  test.each([
    [{ dedup_id: [['/id']] }, '/dedup_id/0'],
    [{ dedup_id: [['/id', 'id']] }, '/dedup_id/0/1'],
    [{ dedup_id: [[['/id', '/at'], '/x']] }, '/dedup_id/0/0'],
    [{ dedup: 'no' }, '/dedup'],
  ])('of %j is refused at %s', async (body, field) => {
    const { id } = await create();
    expect((await patch(id, body)).json()).toMatchObject({ status: 400, errors: [{ field }] });
  });

  test('a source of the kind hmac whose header is that of a known scheme is told so', async () => {
    const { advice } = await create({ scheme: 'hmac', hmac: { ...hmac, header: 'X-Hub-Signature-256' } });
    expect(advice).toEqual([expect.stringContaining('the scheme github')]);
    expect((await create({ scheme: 'hmac', hmac }))['advice']).toEqual([]);
    expect((await create({ scheme: 'github' }))['advice']).toEqual([]);
  });
});
