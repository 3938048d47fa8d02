import fc from 'fast-check';
import {
  type EndpointSettings,
  isMaskedProxy,
  isSensitiveHeader,
  joinSettings,
  maskProxy,
  privateContext,
  type PrivateSettings,
  proxyText,
  secretMask,
  secretsContext,
  splitSettings,
  type StoredEndpointSettings,
} from '#lib/contract';

const whole: EndpointSettings = {
  method: 'PUT',
  timeout_ms: 100,
  headers: { Authorization: 'Bearer hush', 'X-Plain': 'seen' },
  proxy: 'http://user:hush@proxy.test:3128',
  client_certificate: { certificate: 'CERTIFICATE', private_key: 'KEY' },
};
const shown: StoredEndpointSettings = {
  method: 'PUT',
  timeout_ms: 100,
  headers: { Authorization: '***', 'X-Plain': 'seen' },
  proxy: 'http://user:***@proxy.test:3128',
  client_certificate: { certificate: 'CERTIFICATE' },
};
const hidden: PrivateSettings = {
  headers: { Authorization: 'Bearer hush' },
  proxy: 'http://user:hush@proxy.test:3128',
  client_key: 'KEY',
};

describe('settings', () => {
  test('are split into what may be shown and what is sealed', () => {
    expect(splitSettings(whole)).toEqual({ settings: shown, private: hidden });
    expect(joinSettings(shown, hidden)).toEqual(whole);
  });

  test('without a secret have nothing to seal', () => {
    const plain = { ordered: true, headers: { 'X-Plain': '***' }, proxy: 'https://proxy.test' };
    expect(splitSettings(plain)).toEqual({ settings: plain, private: null });
    expect(joinSettings(plain, null)).toEqual(plain);
    expect(splitSettings({})).toEqual({ settings: {}, private: null });
  });

  test.each([
    ['its headers', { ...hidden, headers: undefined }],
    ['one of them', { ...hidden, headers: { authorization: 'of another case' } }],
    ['its proxy', { ...hidden, proxy: undefined }],
    ['its key', { ...hidden, client_key: undefined }],
    ['all of it', null],
  ])('that have lost %s are of no use, rather than masks sent for secrets', (_what, left) => {
    expect(() => joinSettings(shown, left as PrivateSettings | null)).toThrow(/is masked, and is not among the sealed/);
  });

  test('that were masked when another rule was in force keep their values', () => {
    const old = { headers: { 'X-Once-Sensitive': 'value' } };
    expect(joinSettings({ headers: { 'X-Once-Sensitive': secretMask } }, old)).toEqual(old);
    expect(joinSettings({ headers: { 'X-Token': 'from before it was sensitive' } }, null)).toEqual({
      headers: { 'X-Token': 'from before it was sensitive' },
    });
  });

  const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/);
  const name = fc.oneof(
    token,
    fc.constantFrom('__proto__', 'constructor', 'toString', 'Authorization', 'X-Api-Key', 'cookie'),
  );
  const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/).filter((text) => text !== secretMask);
  const part = fc.stringMatching(/^([A-Za-z0-9._~!$&'()*+,;=-]|%[2-7][0-9A-E]){1,12}$/);
  const proxy = fc
    .tuple(fc.constantFrom('http', 'https'), fc.option(part), fc.option(part), fc.constantFrom('', ':3128', ':80'))
    .map(([scheme, user, password, port]) => {
      const credentials = user === null ? '' : `${user}${password === null ? '' : `:${password}`}@`;
      return proxyText(new URL(`${scheme}://${credentials}proxy.test${port}`));
    })
    .filter((url) => !isMaskedProxy(url));
  const settings = fc.record(
    {
      ordered: fc.boolean(),
      headers: fc
        .array(fc.tuple(name, value), { maxLength: 8 })
        .map((entries): Record<string, string> => Object.fromEntries(entries)),
      proxy,
      client_certificate: fc.record({ certificate: fc.string(), private_key: fc.string({ minLength: 1 }) }),
    },
    { requiredKeys: [] },
  );

  test('are the same when they are split, stored as JSON, and joined', () => {
    const stored = <T>(json: T): T => JSON.parse(JSON.stringify(json)) as T;
    fc.assert(
      fc.property(settings, (given) => {
        const split = splitSettings(given);
        expect(joinSettings(stored(split.settings), stored(split.private))).toEqual(given);
      }),
      { numRuns: 1_000 },
    );
  });

  test('show no sensitive value, password or key', () => {
    fc.assert(
      fc.property(settings, (given) => {
        const { settings: seen } = splitSettings(given);
        for (const [name, value] of Object.entries(seen.headers ?? {}))
          expect(value).toBe(isSensitiveHeader(name) ? secretMask : given.headers?.[name]);
        const { username, password } = new URL(seen.proxy ?? 'http://none.test');
        const { username: user, password: hush } = new URL(given.proxy ?? 'http://none.test');
        expect([username, password]).toEqual(hush === '' ? [user && secretMask, ''] : [user, secretMask]);
        expect(Object.keys(seen.client_certificate ?? {})).not.toContain('private_key');
      }),
    );
  });
});

test.each([
  ['http://proxy.test:3128', 'http://proxy.test:3128'],
  ['http://user:hush@proxy.test', 'http://user:***@proxy.test'],
  ['https://:hush@proxy.test', 'https://:***@proxy.test'],
  ['https://a-key@proxy.test', 'https://***@proxy.test'],
  ['http://user:h:u@sh@proxy.test', 'http://user:***@proxy.test'],
  ['http://user:hush@[2001:db8::1]:3128', 'http://user:***@[2001:db8::1]:3128'],
  // A row that was written by hand is no reason to show what it has.
  ['user:hush@proxy.test', '***'],
])('the proxy %s is shown as %s', (proxy, masked) => {
  expect(maskProxy(proxy)).toBe(masked);
  expect(isMaskedProxy(masked)).toBe(proxy !== masked);
});

test('the private settings of a row open in no other column or row', () => {
  const contexts = [
    privateContext('acme', 'ep_1'),
    privateContext('acme', 'ep_2'),
    privateContext('rival', 'ep_1'),
    secretsContext('endpoints', 'acme', 'ep_1'),
    secretsContext('sources', 'acme', 'ep_1'),
  ];
  expect(new Set(contexts).size).toBe(contexts.length);
});
