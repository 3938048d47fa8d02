import { rawMember } from '../../../services/console/ui/payload.ts';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';
import { textOf } from '../../support/console/read-page.ts';

const id = 'dl_01m84xk2v4q9nd1m0e6e0kxv7t';
const endpointId = 'ep_01m84xk2v4q9nd1m0e6e0kxv7t';
const url = `/t/acme/dead-letters/${id}`;

const letter = {
  id,
  stage: 'dispatcher',
  reason: 'retries_exhausted',
  attempts: 1_234,
  at: '2026-01-01T00:00:00.123456Z',
  origin: 'dlv_1',
  generation: 0,
  event_id: 'evt_1',
  delivery_id: 'dlv_1',
  endpoint_id: endpointId,
  source_id: 'src_gone',
  event_type: 'invoice.<b>paid',
  last_outcome: 'http_5xx',
  last_http_status: 500,
  last_detail: 'answered <500>',
  status: 'dead',
  replay_id: null as string | null,
  replayed_at: null,
  replayed_delivery: null as { id: string; status: string } | null,
  shortened: false,
  original_bytes: null as number | null,
  original_sha256: null as string | null,
};

const facts = { ...letter, key: 'k"<', headers: { 'x-a': ['1', '<2>'], payload: 'no' }, payload_encoding: 'json' };
/** As the API writes it: the payload unchanged. */
const whole = (payload: string, more: object = {}): Buffer =>
  Buffer.from(`${JSON.stringify({ ...facts, ...more }).slice(0, -1)},"payload":${payload}}`);

function withDeadLetter(body: unknown = whole('{"n":9007199254740993,"a":1.0,"a":"</script>"}')) {
  const built = buildTestConsole();
  built.api.on('GET /v1/dead-letters', { body: [letter] });
  built.api.on(`GET /v1/dead-letters/${id}`, { body });
  built.api.on('GET /v1/endpoints', { body: [{ id: endpointId, url: 'https://crm.example/<hooks>' }] });
  built.api.on('GET /v1/sources', { body: [] });
  return built;
}

describe('the list', () => {
  test('shows what died, where, and how its last attempt ended', async () => {
    const { get } = withDeadLetter();
    const { body, statusCode } = await get('/t/acme/dead-letters', tenantToken);
    expect(statusCode).toBe(200);
    for (const text of ['invoice.<b>paid', 'crm.example/<hooks>', 'retries exhausted', 'HTTP 500', '1,234'])
      expect(textOf(body)).toContain(text);
    expect(body).not.toContain('<b>');
    expect(body).toContain(`href="${url}"`);
    expect(body).toContain('href="/t/acme/replays/new?what=dead_letters">Replay all …');
  });

  test.each([
    [
      { status: 'replayed', replayed_delivery: { id: 'dlv_2', status: 'delivered' } },
      'badge-good',
      'replayed, delivered',
    ],
    [{ status: 'replayed', replayed_delivery: { id: 'dlv_2', status: 'dead_lettered' } }, 'badge-bad', 'dead again'],
    [{ status: 'replayed', replayed_delivery: { id: 'dlv_2', status: 'retrying' } }, 'badge-busy', 'replayed, waits'],
    [{ status: 'replayed', replayed_delivery: null }, 'badge-good', 'replayed'],
  ])('says of %j what became of it', async (more, badge, word) => {
    const { get, api } = withDeadLetter(whole('{}', more));
    api.on('GET /v1/dead-letters', { body: [{ ...letter, ...more }] });
    for (const at of ['/t/acme/dead-letters', url]) {
      const { body } = await get(at, tenantToken);
      expect(body).toMatch(new RegExp(`${badge}">.{1,60}${word}`));
    }
  });

  test('passes its filters on to the API, and to the preview of a replay, but for the status', async () => {
    const { get, api } = withDeadLetter();
    const query = `endpoint_id=${endpointId}&reason=retries_exhausted&since=2026-01-01T00%3A00%3A00Z`;
    const { body } = await get(`/t/acme/dead-letters?${query}&status=dead`, tenantToken);
    expect(api.calls.find(({ path }) => path.startsWith('/v1/dead-letters'))?.path).toBe(
      `/v1/dead-letters?${query}&status=dead`,
    );
    const link = /href="([^"]+)">Replay all that match/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    expect(link).toBe(`/t/acme/replays/new?what=dead_letters&${query}`);
    const replayed = await get('/t/acme/dead-letters?status=replayed', tenantToken);
    expect(replayed.body).not.toContain('Replay all');
  });

  test('empty: all is well, 200; nothing matches: 404 with the form kept; wrong filters: 400 at the field', async () => {
    const { get, api } = withDeadLetter();
    api.on('GET /v1/dead-letters', { body: [] });
    const empty = await get('/t/acme/dead-letters', tenantToken);
    expect([empty.statusCode, empty.body.includes('all is well')]).toEqual([200, true]);
    expect(empty.body).not.toContain('Replay all');
    const none = await get('/t/acme/dead-letters?event_type=%3Cx%3E&source_id=src_old', tenantToken);
    expect(none.statusCode).toBe(404);
    expect(none.body).toContain('value="&lt;x&gt;"');
    expect(none.body).toContain('<option value="src_old" selected>');
    const errors = [{ field: 'since', message: 'must be a time' }];
    api.on('GET /v1/dead-letters', problemReply(400, 'validation_failed', { errors }));
    const wrong = await get('/t/acme/dead-letters?since=x', tenantToken);
    expect([wrong.statusCode, wrong.body.includes('must be a time')]).toEqual([400, true]);
    expect((await get('/t/acme/dead-letters?nonsense=1', tenantToken)).statusCode).toBe(400);
    api.on('GET /v1/dead-letters', 'away');
    expect((await get('/t/acme/dead-letters', tenantToken)).statusCode).toBe(503);
  });

  test('has no action for who may only read', async () => {
    const { get } = withDeadLetter();
    expect((await get('/t/acme/dead-letters', readToken)).body).not.toContain('Replay all');
  });
});

describe('one', () => {
  test('shows its payload as it came, and everything hostile as text', async () => {
    const { get } = withDeadLetter();
    const { body, statusCode } = await get(url, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('>9007199254740993<');
    expect(body).toContain('>1.0<');
    expect(body.match(/j-key">&quot;a&quot;/g)).toHaveLength(2);
    for (const text of ['&lt;/script&gt;', 'answered &lt;500&gt;', '&lt;2&gt;', 'k&quot;&lt;'])
      expect(body).toContain(text);
    for (const link of ['/t/acme/events/evt_1', '/t/acme/deliveries/dlv_1', `/t/acme/endpoints/${endpointId}`])
      expect(body).toContain(`href="${link}"`);
    // Its source was deleted.
    expect(body).not.toContain('/t/acme/sources/src_gone');
    expect(body).toContain('src_gone</code> (deleted)');
  });

  test('without payload, cut, not JSON, or not accepted says so', async () => {
    const expired = await withDeadLetter(whole('null', { payload_encoding: null })).get(url, tenantToken);
    expect(expired.body).toContain('removed');
    const cut = { shortened: true, original_bytes: 2_000_000, original_sha256: 'abc' };
    const shortened = await withDeadLetter(whole('{}', cut)).get(url, tenantToken);
    expect(shortened.body).toContain('2,000,000 bytes');
    expect(shortened.body).not.toContain('Replay it');
    const binary = await withDeadLetter(whole('"AP8="', { payload_encoding: 'base64' })).get(url, tenantToken);
    expect(binary.body).toContain('00000000  00 ff');
    const nothing = { event_id: null, delivery_id: null, endpoint_id: null, last_outcome: null, last_detail: null };
    const early = await withDeadLetter(whole('{}', nothing)).get(url, tenantToken);
    expect(early.body).toContain('it was not accepted yet');
  });

  test('is replayed by one click, with the key of the form', async () => {
    const { get, post, api } = withDeadLetter();
    expect((await get(url, tenantToken)).body).toContain(`action="${url}/replay"`);
    api.on('POST /v1/dead-letters/replay', { status: 202, body: { id: 'rpl_1' } });
    const answer = await post(`${url}/replay`, {}, tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/t/acme/replays/rpl_1']);
    const call = api.calls.at(-1);
    expect(call?.body).toBe(JSON.stringify({ ids: [id] }));
    expect(call?.headers['idempotency-key']).toBe('key-of-the-form');
  });

  test('is not replayed by who may only read, nor if it never was', async () => {
    const { get, post, api } = withDeadLetter();
    expect((await get(url, readToken)).body).not.toContain('Replay it');
    expect((await post(`${url}/replay`, {}, readToken)).statusCode).toBe(403);
    api.on(`GET /v1/dead-letters/${id}`, problemReply(404, 'not_found'));
    expect((await get(url, tenantToken)).statusCode).toBe(404);
    expect((await post(`${url}/replay`, {}, tenantToken)).statusCode).toBe(404);
    expect(api.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('that is being replayed leads to its replay', async () => {
    const { get } = withDeadLetter(whole('{}', { status: 'replaying', replay_id: 'rpl_9' }));
    const { body } = await get(url, tenantToken);
    expect(body).toContain('href="/t/acme/replays/rpl_9"');
    expect(body).not.toContain('Replay it');
  });
});

test.each([
  ['{"a":1,"payload": {"payload":2,"x":[1.0,"]}\\""]} ,"b":3}', 'payload', '{"payload":2,"x":[1.0,"]}\\""]}'],
  ['{"headers":{"payload":"no"},"payload":1.50}', 'payload', '1.50'],
  ['{"s":"\\",\\"payload\\":9","payload":"\\u0041"}', 'payload', '"\\u0041"'],
  ['{"payload":[],"payload2":1}', 'payload', '[]'],
  ['{"a":{"payload":1}}', 'payload', undefined],
  ['{}', 'payload', undefined],
])('the member of %s stays as it came', (json, name, raw) => {
  expect(rawMember(json, name)).toBe(raw);
});

test('so does one of a megabyte, and one of ten thousand levels', () => {
  const deep = '['.repeat(10_000) + ']'.repeat(10_000);
  const long = `"${'x\\n'.repeat(350_000)}"`;
  expect(rawMember(`{"payload":${deep}}`, 'payload')).toBe(deep);
  expect(rawMember(`{"k":${long},"payload":${long}}`, 'payload')).toBe(long);
});
