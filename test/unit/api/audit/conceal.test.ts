import { nominalMs } from '../../../support/nominal-time.ts';
import { processorTimeMs } from '../../../support/processor-time.ts';
import { createConceal } from '../../../../services/api/audit/conceal.ts';
import { changedFields } from '../../../../services/api/audit/record-changes.ts';

const keyOf = (byte: number, id = 'k') => ({ id, key: Buffer.alloc(32, byte) });
const conceal = createConceal([keyOf(1), keyOf(2, 'old')]);
const digest = /^hmac:k:[\w-]{22}$/;

test.each([
  ['secret', 'whsec_x'],
  ['client_secret', 'x'],
  ['token', 'hs_x'],
  ['verify_token', 'x'],
  ['code', 'hc_x'],
  ['key', 'hk_x'],
  ['private_key', 'x'],
  ['certificate', 'x'],
  ['password', 1],
  ['secrets', { any: 'x' }],
  ['secrets', ['x']],
])('%s is masked, whatever its value', (name, value) => {
  expect(conceal('t', { [name]: value, nested: { [name]: value }, list: [{ [name]: value }] })).toEqual({
    [name]: '***',
    nested: { [name]: '***' },
    list: [{ [name]: '***' }],
  });
});

test('that a secret is set, ids of keys, and what is no secret are shown', () => {
  const shown = { secret_set: true, token: true, key_id: 'key_1', ordering_key: ['/customer'], n: 1, none: null };
  expect(conceal('t', shown)).toEqual(shown);
});

test('sensitive headers are masked by their names, and PEM wherever it stands', () => {
  expect(conceal('t', { headers: { Authorization: 'x', 'X-Session': 'y', 'X-Plain': 'z' } })).toEqual({
    headers: { Authorization: '***', 'X-Session': '***', 'X-Plain': 'z' },
  });
  expect(conceal('t', { note: 'a\n-----BEGIN PRIVATE KEY-----\nx' })).toEqual({ note: '***' });
});

test('of a URL the query is digested, and credentials are masked', () => {
  const shown = (text: string) => (conceal('t', { url: text }) as { url: string }).url;
  expect(shown('https://u:p@r.example/a/b?token=x&y=1#f')).toMatch(
    /^https:\/\/\*\*\*@r\.example\/a\/b\?hmac:k:[\w-]{22}$/,
  );
  expect(shown('https://r.example/a')).toBe('https://r.example/a');
  expect(shown('no url?a=b')).toMatch(digest);
  expect(conceal('t', { public_url: 'https://r.example/?a', proxy: 'http://u:p@p.example' })).toEqual({
    public_url: expect.stringMatching(/^https:\/\/r\.example\/\?hmac:/) as string,
    proxy: 'http://***@p.example/',
  });
});

test.each(['filter', 'tag', 'tags', 'payload'])('%s is digested as a whole', (name) => {
  const shown = conceal('t', { [name]: { customer: 'x' } }) as Record<string, string>;
  expect(shown[name]).toMatch(digest);
});

test('what is long is digested, so that an entry stays small', () => {
  const shown = conceal('t', { long: 'x'.repeat(3_000), ids: Array.from({ length: 500 }, (_, n) => `evt_${n}`) });
  expect(shown).toEqual({
    long: expect.stringMatching(digest) as string,
    ids: expect.stringMatching(digest) as string,
  });
});

test('a digest within another changes it, also where its own beginning stays', () => {
  const part = (end: string) => ({ list: [...Array<string>(60).fill('x'.repeat(40)), end] });
  const nested = (end: string) => ({ whole: [...Array.from({ length: 60 }, () => part('a')), part(end)] });
  const shown = ['a', 'a', 'b'].map((end) => (conceal('t', nested(end)) as { whole: string }).whole);
  expect(shown[0]).toMatch(digest);
  expect([shown[1], shown[2] === shown[0]]).toEqual([shown[0], false]);
  // A secret within what is digested counts, too.
  const whole = (token: string) => ({
    whole: { token, long: Array(100).fill('x'.repeat(40)), more: 'y'.repeat(2_000) },
  });
  expect(conceal('t', whole('a'))).not.toEqual(conceal('t', whole('b')));
});

test.each([
  ['deep', (levels: number) => nestedBy(levels, (inner) => ({ type: 'object', properties: { a: inner } }), 32)],
  ['deep lists of texts', (levels: number) => nestedBy(levels, (inner) => [inner, 'x'.repeat(600)], 100)],
  [
    'wide',
    (size: number) => Object.fromEntries(Array.from({ length: 16 * size }, (_, n) => [`p${n}`, { type: 'string' }])),
  ],
] as const)('each part is looked at once, however it is nested: %s', (_what, make) => {
  const view = { newest: { schema: make(100) } };
  const tookMs = Array.from({ length: 10 }, () => {
    const beganAtMs = processorTimeMs();
    conceal('t', view);
    return processorTimeMs() - beganAtMs;
  });
  // The fastest: others use the processor, too, and the first compiles.
  expect(nominalMs(Math.min(...tookMs), { limitMs: 20 })).toBeLessThan(20);
});

/** So many side by side, about 64 kB in all. */
function nestedBy(levels: number, around: (inner: unknown) => unknown, times: number): unknown {
  const one = (): unknown => {
    let inner: unknown = { type: 'string' };
    for (let level = 0; level < levels / 2; level += 1) inner = around(inner);
    return inner;
  };
  return Array.from({ length: Math.max(1, Math.floor(64_000 / JSON.stringify(one()).length)) }, one).slice(0, times);
}

test('digests depend on the value, the tenant and the first encryption key', () => {
  const of = (by: typeof conceal, tenant: string, filter: unknown) =>
    (by(tenant, { filter }) as { filter: string }).filter;
  const other = createConceal([keyOf(3)]);
  const same = createConceal([keyOf(1)]);
  const all = [of(conceal, 't', 1), of(conceal, 't', 2), of(conceal, 'u', 1), of(other, 't', 1)];
  expect(new Set(all).size).toBe(4);
  expect(of(same, 't', 1)).toBe(all[0]);
});

test('a change has the fields that differ; a creation and a deletion have all of one side', () => {
  expect(changedFields({ a: 1, b: { c: [1] }, gone: 1 }, { a: 2, b: { c: [1] }, come: 2 })).toEqual([
    { a: 1, gone: 1 },
    { a: 2, come: 2 },
  ]);
  expect(changedFields(null, { a: 1 })).toEqual([null, { a: 1 }]);
  expect(changedFields({ a: 1 }, null)).toEqual([{ a: 1 }, null]);
});
