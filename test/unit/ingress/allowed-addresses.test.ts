import fc from 'fast-check';
import { networksOf } from '#lib/net';
import { problemCodes } from '#lib/problem';
import { createSenderGate } from '../../../services/ingress/sources/sender-gate.ts';
import { closeApps, createHarness, type Harness, signed, sourceOf } from './harness.ts';
import { connectRaw } from './raw-client.ts';

afterEach(closeApps);

const body = '{"id":"evt_1"}';

const harnessFor = (allowedIps: string[], trustedProxies: string[] = []): Harness =>
  createHarness({
    source: sourceOf({ settings: { allowed_ips: allowedIps } }),
    deps: { trustedProxies: networksOf(trustedProxies) },
  });

async function statusOf(harness: Harness, forwardedFor?: string | string[]): Promise<number> {
  const headers = { ...signed(body), ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }) };
  return (await harness.send({ headers, body })).status;
}

describe('a source with a list of addresses', () => {
  test.each([['127.0.0.1'], ['127.0.0.0/8'], ['192.0.2.1', '::ffff:127.0.0.1'], ['0.0.0.0/0']])(
    'takes webhooks of those on it: %s %s',
    async (...list) => {
      expect(await statusOf(harnessFor(list))).toBe(202);
    },
  );

  test.each([['192.0.2.1'], ['127.0.0.2'], ['::/0'], ['::1']])(
    'refuses all others, and its owner can see from where they came: %s',
    async (...list) => {
      const harness = harnessFor(list);
      const answer = await harness.send({ headers: signed(body), body });
      expect([answer.status, answer.json()]).toEqual([
        403,
        expect.objectContaining({ code: 'address_not_allowed', title: problemCodes.address_not_allowed.title }),
      ]);
      expect(harness.producer.records).toEqual([]);
      expect(harness.rejections).toMatchObject([{ code: 'address_not_allowed', clientAddress: '127.0.0.1' }]);
    },
  );

  test('refuses before it reads: neither length nor signature nor body is looked at', async () => {
    const harness = harnessFor(['192.0.2.1']);
    const client = await connectRaw(await harness.port());
    const head = `POST /v1/webhooks/${harness.source.id} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\n`;
    client.write(`${head}content-length: 9000000\r\n\r\n`);
    await client.until(/^HTTP\/1\.1 403 Forbidden[^]*"address_not_allowed"/);
    await client.closed;
    expect(client.received()).not.toContain('100 Continue');
  });
});

describe('behind proxies', () => {
  test('nobody’s word is taken by default', async () => {
    expect(await statusOf(harnessFor(['192.0.2.1']), '192.0.2.1')).toBe(403);
    expect(await statusOf(harnessFor(['127.0.0.1']), '192.0.2.1')).toBe(202);
  });

  test('nor is that of a peer that is not one of them', async () => {
    expect(await statusOf(harnessFor(['192.0.2.1'], ['10.0.0.0/8']), '192.0.2.1')).toBe(403);
  });

  test.each<[string, string | string[], number]>([
    ['the address that the proxy adds is the sender’s', '192.0.2.1', 202],
    ['what the sender wrote before it is not', '192.0.2.1, 198.51.100.1', 403],
    ['in a second header neither', ['192.0.2.1', '198.51.100.1'], 403],
    ['proxies in a row are passed over', '192.0.2.1, 10.0.0.2, 10.0.0.1', 202],
    ['a sender within the proxies’ network is the leftmost', '10.0.0.3', 403],
    ['a mapped address is its IPv4 address', '::ffff:192.0.2.1', 202],
    ['a mapped proxy too', '192.0.2.1, ::ffff:10.0.0.2', 202],
    ['a port behind it is left out', '192.0.2.1:51008', 202],
    ['a port makes no other address one of the list', '198.51.100.1:443', 403],
    ['so is a proxy’s', '192.0.2.1, 10.0.0.2:9999', 202],
    ['a mapped address in brackets is its IPv4 address', '[::ffff:192.0.2.1]:443', 202],
    ['a port is a number', '192.0.2.1:http', 403],
    ['a name with a port is none', 'unknown:443', 403],
    ['quotes make it none', '"192.0.2.1"', 403],
    ['an obfuscated name is none', 'unknown', 403],
    ['an empty element of the list is no element', '192.0.2.1,', 202],
    ['an empty list says nothing', ',', 403],
    ['nor is what looks like one in C', '0300.0.2.1', 403],
  ])('%s: %s', async (_what, forwardedFor, status) => {
    expect(await statusOf(harnessFor(['192.0.2.1'], ['127.0.0.1', '10.0.0.0/8']), forwardedFor)).toBe(status);
  });

  test('(mutant) a server that takes everybody’s word lets such a sender in', async () => {
    expect(await statusOf(harnessFor(['192.0.2.1'], ['0.0.0.0/0']), '192.0.2.1, 198.51.100.1')).toBe(202);
  });

  test('of any chain, the rightmost that is no proxy decides', async () => {
    const proxy = fc.integer({ min: 0, max: 255 }).map((last) => `10.0.0.${last}`);
    const sender = fc.constantFrom('192.0.2.1', '198.51.100.1', 'unknown', '_hidden', '192.0.2.1:80');
    const harness = harnessFor(['192.0.2.1'], ['127.0.0.1', '10.0.0.0/24']);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(proxy, sender), { minLength: 1, maxLength: 6 }), async (chain) => {
        const decides = chain.findLast((address) => !address.startsWith('10.')) ?? chain[0];
        expect(await statusOf(harness, chain.join(', '))).toBe(
          decides === '192.0.2.1' || decides === '192.0.2.1:80' ? 202 : 403,
        );
      }),
      { numRuns: 60 },
    );
  });
});

test('a source without a list takes whatever the proxies say, and without demanding a certificate asks for none', () => {
  const certificate = (): never => {
    throw new Error('asked');
  };
  const sender = { address: 'whatever', certificate };
  expect(createSenderGate({})(sender)).toBeUndefined();
  expect(createSenderGate({ client_certificate: { required: false } })(sender)).toBeUndefined();
});
