import { X509Certificate } from 'node:crypto';
import { privateContext } from '#lib/contract';
import { createManualClock } from '#lib/runtime';
import { authority, client, otherClient } from '../ingress/certificates.ts';
import { closeApps } from './ask.ts';
import { authorization, buildTestApp, postgresOf, testSecretBox } from './build-test-app.ts';
import { encryptedKey, tooShort, withParameters } from './certificates.ts';

const headers = { authorization, 'content-type': 'application/json' };

afterAll(closeApps);

interface Inserted {
  settings: Record<string, unknown>;
  private: unknown;
}

let inserted: Inserted | undefined;
const postgres = postgresOf(async (_text, values = []) => {
  const [tenant, id, , , , , , settings, sealed] = values as [string, string, ...unknown[]];
  inserted = {
    settings: JSON.parse(settings as string) as Inserted['settings'],
    private:
      sealed === null
        ? null
        : (JSON.parse(testSecretBox.open(sealed as Buffer, privateContext(tenant, id))) as unknown),
  };
  return [{ id, revision: 1, filter: null, settings: inserted.settings, public_keys: [], created_at: '' }];
});
const { ask } = buildTestApp({ postgres });

async function create(endpoint: object, by: typeof ask = ask) {
  const body = { url: 'https://example.com/hook', ...endpoint };
  inserted = undefined;
  const answer = await by({ method: 'POST', path: '/v1/endpoints', headers, body });
  const json = answer.json<
    { code?: string; errors?: { field: string; message: string }[] } & Record<string, unknown>
  >();
  return { status: answer.status, text: answer.text, json, stored: inserted as Inserted | undefined };
}

async function refusedFields(endpoint: object): Promise<readonly string[]> {
  const { status, json, stored } = await create(endpoint);
  expect([status, json.code, stored]).toEqual([400, 'validation_failed', undefined]);
  return (json.errors ?? []).map(({ field }) => field);
}

const pair = { certificate: client.cert, private_key: client.key };
const many = (count: number, value = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, value]));

describe('headers', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('go with the method %s', async (method) => {
    const { status, json, stored } = await create({ method, headers: { 'X-Plain': 'a\t b' } });
    expect([status, json]).toEqual([201, expect.objectContaining({ method, headers: { 'X-Plain': 'a\t b' } })]);
    expect(stored).toEqual({ settings: { method, headers: { 'X-Plain': 'a\t b' } }, private: null });
  });

  test('that are sensitive are masked wherever they are seen, and sealed', async () => {
    const { text, json, stored } = await create({
      headers: { Authorization: 'Bearer hush', 'x-api-key': 'hush', A: '' },
    });
    expect(json['headers']).toEqual({ Authorization: '***', 'x-api-key': '***', A: '' });
    expect(stored?.settings).toEqual({ headers: { Authorization: '***', 'x-api-key': '***', A: '' } });
    expect(stored?.private).toEqual({ headers: { Authorization: 'Bearer hush', 'x-api-key': 'hush' } });
    expect(text).not.toContain('hush');
  });

  test('may be fifty, of 16 kB in all, under any name that is a token', async () => {
    expect((await create({ headers: many(50) })).status).toBe(201);
    const names = { constructor: 'a', toString: 'b', "!#$%&'*+.^_`|~": 'c', ['n'.repeat(128)]: 'd' };
    expect((await create({ headers: names })).json['headers']).toEqual(names);
    expect((await create({ headers: many(4, 'v'.repeat(4_093)) })).status).toBe(201);
    expect(await refusedFields({ headers: many(4, 'v'.repeat(4_094)) })).toEqual(['/headers']);
  });

  test.each([
    [many(51), '/headers'],
    [[], '/headers'],
    [{ 'X-A': 1 }, '/headers/X-A'],
    [{ 'X-A': 'v'.repeat(4_097) }, '/headers/X-A'],
    [{ 'X-A': 'ä' }, '/headers/X-A'],
    [{ 'X-A': 'a\r\nHost: b' }, '/headers/X-A'],
    [{ 'X-A': 'a\0' }, '/headers/X-A'],
    [{ 'X-A': ' a' }, '/headers/X-A'],
    [{ 'X-A': 'a\t' }, '/headers/X-A'],
    [{ '': 'a' }, '/headers/'],
    [{ 'X A': 'a' }, '/headers/X A'],
    [{ 'X/~A': 'a' }, '/headers/X~1~0A'],
    [{ 'X-A\r\n': 'a' }, '/headers/X-A\r\n'],
    [{ ['n'.repeat(129)]: 'a' }, `/headers/${'n'.repeat(129)}`],
    [{ 'X-A': 'a', 'x-a': 'a' }, '/headers/x-a'],
    [{ Host: 'internal' }, '/headers/Host'],
    [{ 'content-LENGTH': '5' }, '/headers/content-LENGTH'],
    [{ 'Transfer-Encoding': 'chunked' }, '/headers/Transfer-Encoding'],
    [{ 'Proxy-Authorization': 'Basic x' }, '/headers/Proxy-Authorization'],
    [{ 'Hookline-Signature': 't=1,v1=0' }, '/headers/Hookline-Signature'],
    [{ ':authority': 'internal' }, '/headers/:authority'],
    [{ Authorization: '***' }, '/headers/Authorization'],
  ])('%j are refused at %s', async (given, field) => {
    expect(await refusedFields({ headers: given })).toEqual([field]);
  });

  test('that are Hookline’s own are refused in those words, each by its name', async () => {
    const { json } = await create({ headers: { Host: 'a', 'X-A': 'b', Traceparent: 'c' } });
    const message = "is Hookline's own";
    expect(json.errors).toEqual([
      { field: '/headers/Host', message },
      { field: '/headers/Traceparent', message },
    ]);
  });
});

describe('a proxy', () => {
  test.each([
    ['http://proxy.example:3128', 'http://proxy.example:3128'],
    ['HTTPS://Proxy.Example/', 'https://proxy.example'],
    ['http://user:hu%73h@proxy.example', 'http://user:***@proxy.example'],
    ['http://hush@proxy.example', 'http://***@proxy.example'],
  ])('%s is shown as %s', async (proxy, shown) => {
    const { text, json, stored } = await create({ proxy });
    expect([json['proxy'], stored?.settings]).toEqual([shown, { proxy: shown }]);
    expect(stored?.private).toEqual(shown.includes('***') ? { proxy } : null);
    expect(text).not.toMatch(/hush|hu%73h/);
  });

  test.each([
    '',
    'proxy.example:3128',
    'socks5://proxy.example',
    'http://proxy.example/path',
    'http://proxy.example?query',
    'http://proxy.example/?',
    'http://proxy.example#',
    'http://user:***@proxy.example',
    'http://***@proxy.example',
    'http://us%3Aer:hush@proxy.example',
    'http://user:hush%0d%0a@proxy.example',
    'http://user:hush%ff@proxy.example',
    `http://${'p'.repeat(2_048)}`,
  ])('%j is refused, and nobody is told its password', async (proxy) => {
    expect(await refusedFields({ proxy })).toEqual(['/proxy']);
    expect((await create({ proxy })).text).not.toContain('hush');
  });

  test.each([
    'http://127.0.0.1:3128',
    'http://user:hush@localhost',
    'https://[::1]',
    'http://169.254.169.254',
    'http://metadata.google.internal',
    'http://0x7f.1:3128',
    'http://proxy.example:0',
  ])('at %s is no place to go through', async (proxy) => {
    const { status, text, json } = await create({ proxy });
    expect([status, json]).toMatchObject([400, { code: 'url_not_allowed', errors: [{ field: '/proxy' }] }]);
    expect(text).not.toContain('hush');
  });

  test('that is refused is named beside a URL that is', async () => {
    const { json } = await create({ url: 'https://127.0.0.1', proxy: 'http://127.0.0.1' });
    expect(json.errors?.map(({ field }) => field)).toEqual(['/url', '/proxy']);
  });
});

describe('a client certificate', () => {
  const { fingerprint256, validToDate } = new X509Certificate(client.cert);
  const shown = {
    certificate: client.cert,
    expires_at: validToDate.toISOString().replace('.000Z', '.000000Z'),
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
  };

  test('is shown without its key, which is sealed', async () => {
    const { text, json, stored } = await create({ client_certificate: pair });
    expect(json['client_certificate']).toEqual(shown);
    expect(stored).toEqual({
      settings: { client_certificate: { certificate: client.cert } },
      private: { client_key: client.key },
    });
    expect(text).not.toContain('PRIVATE KEY');
  });

  test('may be given with its chain, with what it shows of itself, and with other text around it, which is not kept', async () => {
    const certificate = `Bag Attributes\n  hush\n${client.cert}\r\nsubject=hush\n${authority}`;
    const { json, stored } = await create({ client_certificate: { ...shown, certificate, private_key: client.key } });
    expect(json['client_certificate']).toEqual({ ...shown, certificate: client.cert + authority });
    expect(stored?.settings).toEqual({ client_certificate: { certificate: client.cert + authority } });
  });

  test('may have a key as OpenSSL writes it, which is kept in one form', async () => {
    const { status, stored } = await create({ client_certificate: withParameters });
    expect(status).toBe(201);
    expect(stored?.private).toEqual({ client_key: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----\n/) as string });
  });

  const at = (field: string): string => `/client_certificate${field}`;
  const broken = client.cert.replace('MIIB', 'AAAA');
  test.each([
    ['nothing', {}, '/certificate'],
    ['no key', { certificate: client.cert }, '/private_key'],
    ['no certificate', { private_key: client.key }, '/certificate'],
    ['no PEM', { ...pair, certificate: 'certificate' }, '/certificate'],
    ['a certificate that is broken', { ...pair, certificate: broken }, '/certificate'],
    ['a chain that is broken', { ...pair, certificate: client.cert + broken }, '/certificate'],
    ['the key beside the certificate', { ...pair, certificate: client.cert + client.key }, '/certificate'],
    ['too long a certificate', { ...pair, certificate: client.cert + ' '.repeat(32 * 1024) }, '/certificate'],
    ['too long a key', { ...pair, private_key: client.key + ' '.repeat(32 * 1024) }, '/private_key'],
    ['a key that is none', { ...pair, private_key: 'hush' }, '/private_key'],
    ['the certificate as its key', { ...pair, private_key: client.cert }, '/private_key'],
    ['a key behind a passphrase', { ...pair, private_key: encryptedKey }, '/private_key'],
    ['another’s key', { ...pair, private_key: otherClient.key }, '/private_key'],
    ['the chain before it', { ...pair, certificate: authority + client.cert }, '/private_key'],
    ['a key that TLS refuses', tooShort, '/certificate'],
    ['an end that is not its own', { ...pair, expires_at: '2030-01-01T00:00:00.000000Z' }, '/expires_at'],
    ['a fingerprint that is not its own', { ...pair, fingerprint: '00' }, '/fingerprint'],
    ['what is not known', { ...pair, passphrase: 'hush' }, '/passphrase'],
  ])('with %s is refused', async (_what, given, field) => {
    expect(await refusedFields({ client_certificate: given })).toContain(at(field));
    const { text } = await create({ client_certificate: given });
    expect(text).not.toMatch(/PRIVATE KEY-|hush/);
  });

  test('that has expired is refused', async () => {
    const later = buildTestApp({ postgres, clock: createManualClock(Date.UTC(2127, 0, 1)) });
    const { json } = await create({ client_certificate: pair }, later.ask);
    expect(json).toMatchObject({ status: 400, errors: [{ field: at('/certificate') }] });
    expect(json.errors?.[0]?.message).toMatch(/^has expired/);
  });
});

test('all that is wrong is told at once', async () => {
  const wrong = {
    url: 'nowhere',
    headers: { Host: 'a' },
    proxy: 'http://proxy.example/path',
    client_certificate: { ...pair, private_key: otherClient.key },
    retry: { jitter: 1 },
  };
  expect(await refusedFields(wrong)).toEqual([
    ...['/url', '/headers/Host', '/proxy', '/client_certificate/private_key', '/retry/jitter'],
  ]);
});

test.each([{ method: 'GET' }, { method: 'post' }, { ed25519: 'yes' }, { ed25519: null }])(
  '%j is not valid',
  async (given) => expect(await refusedFields(given)).toEqual([`/${Object.keys(given)[0]}`]),
);
