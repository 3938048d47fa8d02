/**
 * The libraries that receivers verify with accept an attempt's request, whatever its bytes; and none of them once a bit of the signed text
 * has changed. Bytes that those libraries can't take are named here, each with what they do with it.
 */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { HttpRequest } from '#lib/http-client';
import { readPrivateKey } from '#lib/signatures';
import { githubPayloads } from '../../e2e/github-payloads.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { sendOnce } from './send-once.ts';
import { acceptedBy, generateReceiverKeys, type ReceiverKeys, type VerifierName } from './verifiers.ts';

const [older, newer, others] = [generateReceiverKeys(), generateReceiverKeys(), generateReceiverKeys()];

const all: VerifierName[] = [
  'stripe',
  'standardwebhooks',
  'svix',
  'Hookline-Signature by node:crypto',
  'v1 by node:crypto',
  'v1a by node:crypto',
];
const notByText = all.filter((name) => name.endsWith('node:crypto'));
const notByStripe = all.filter((name) => name !== 'stripe');

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Exactly what is lost when bytes are read as text: TextDecoder takes away a byte order mark, and both replace what is no UTF-8. */
function whoCanTake(body: Buffer): VerifierName[] {
  if (!isUtf8(body)) return notByText;
  return body.subarray(0, 3).equals(byteOrderMark) ? notByStripe : all;
}

/** As the dispatcher has it. */
const held = ({ secret, privateKey }: ReceiverKeys, expiresAt: number | null) => ({
  secret,
  privateKey: readPrivateKey(privateKey) ?? null,
  expiresAt,
});

/** In the middle of a rotation, as every attempt here. */
async function send(body: Buffer): Promise<HttpRequest> {
  const startMs = Math.floor(Date.now() / 1_000) * 1_000;
  const secrets = [held(newer, null), held(older, startMs * 1_000 + 1)];
  const { request } = await sendOnce({ payload: body }, { secrets }, startMs);
  expect(request!.body.equals(body)).toBe(true);
  return request!;
}

const withHeaders = (request: HttpRequest, headers: Record<string, string>): HttpRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

const mebibyte = 1024 * 1024;
const text = fc.string({ unit: 'binary', maxLength: 2_000 }).map((value) => Buffer.from(value));
const bodies = fc.oneof(
  text,
  fc.json().map((value) => Buffer.from(value)),
  fc.uint8Array({ maxLength: 4_096 }).map((bytes) => Buffer.from(bytes)),
  text.map((body) => Buffer.concat([byteOrderMark, body])),
  // Text but for one place.
  fc
    .tuple(text, fc.integer({ min: 0x80, max: 0xff }), text)
    .map(([before, byte, after]) => Buffer.concat([before, Buffer.from([byte]), after])),
);

describe('an attempt', () => {
  it('with each payload of GitHub’s is taken by every verifier, with either secret of a rotation', async () => {
    const payloads = githubPayloads('unused', seededRandom(1)).map(({ body }) => body);
    const counts = new Map<string, number>();
    for (const body of payloads) {
      const request = await send(body);
      for (const keys of [older, newer])
        for (const name of acceptedBy(request, keys)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect(payloads).toHaveLength(329);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(all.map((name) => [name, 2 * 329])));
  });

  it.each([
    ['nothing', Buffer.alloc(0), all],
    ['a NUL', Buffer.from([0]), all],
    ['the replacement character, spelled out', Buffer.from('\ufffd'), all],
    ['a byte order mark', byteOrderMark, notByStripe],
    ['JSON behind a byte order mark', Buffer.concat([byteOrderMark, Buffer.from('{}')]), notByStripe],
    ['a byte order mark inside', Buffer.from('{"a":"\ufeff"}'), all],
    ['half a character', Buffer.from([0x7b, 0xc3]), notByText],
    ['UTF-16 with its mark', Buffer.from('\ufeff{}', 'utf16le'), notByText],
    ['a surrogate in UTF-8', Buffer.from([0xed, 0xa0, 0x80]), notByText],
    ['a mebibyte of text', Buffer.alloc(mebibyte, 'größe '), all],
    ['a mebibyte of bytes', Buffer.concat([Buffer.from([0xff]), randomBytes(mebibyte - 1)]), notByText],
  ])('with %s is taken by all that can read it', async (_what, body, expected) => {
    const request = await send(body);
    expect(whoCanTake(body)).toEqual(expected);
    for (const keys of [older, newer]) expect(acceptedBy(request, keys)).toEqual(expected);
    expect(acceptedBy(request, others)).toEqual([]);
  });

  it('with any bytes is taken by all that can read them', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom(older, newer), async (body, keys) => {
        expect(acceptedBy(await send(body), keys)).toEqual(whoCanTake(body));
      }),
      { numRuns: 500 },
    );
  });

  it('is taken with the new secret alone once the old one has ended, and with nobody else’s', async () => {
    const startMs = Math.floor(Date.now() / 1_000) * 1_000;
    const secrets = [held(newer, null), held(older, startMs * 1_000)];
    const { request } = await sendOnce({}, { secrets }, startMs);
    expect([newer, older, others].map((keys) => acceptedBy(request!, keys))).toEqual([all, [], []]);
  });

  it('bears no v1a where the endpoint has no key', async () => {
    const { request } = await sendOnce({}, { secrets: [{ ...held(newer, null), privateKey: null }] });
    expect(request?.headers['webhook-signature']).not.toContain('v1a,');
    expect(acceptedBy(request!, newer)).toEqual(all.filter((name) => name !== 'v1a by node:crypto'));
  });
});

describe('an attempt that was changed on its way is taken by nobody', () => {
  it('where it is one bit of the body', async () => {
    const flips = fc.tuple(
      bodies.filter((body) => body.length > 0),
      fc.nat(),
      fc.integer({ min: 0, max: 7 }),
    );
    await fc.assert(
      fc.asyncProperty(flips, fc.constantFrom(older, newer), async ([body, place, bit], keys) => {
        const request = await send(body);
        const changed = Buffer.from(body);
        changed[place % body.length]! ^= 1 << bit;
        expect(acceptedBy({ ...request, body: changed }, keys)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('where it is a character of the id: but for Stripe’s form, which does not sign it', async () => {
    const unaware: VerifierName[] = ['stripe', 'Hookline-Signature by node:crypto'];
    const request = await send(Buffer.from('{}'));
    const id = request.headers['webhook-id'] ?? '';
    for (let place = 0; place < id.length; place += 1) {
      const changed = `${id.slice(0, place)}${id[place] === 'x' ? 'y' : 'x'}${id.slice(place + 1)}`;
      expect(acceptedBy(withHeaders(request, { 'webhook-id': changed }), newer)).toEqual(unaware);
    }
  });

  it('where it is the time, by as little as a second', async () => {
    const request = await send(Buffer.from('{}'));
    const time = Number(request.headers['webhook-timestamp']);
    for (const later of [-60, -1, 1, 60]) {
      const changed = withHeaders(request, {
        'webhook-timestamp': String(time + later),
        'hookline-signature': request.headers['hookline-signature']!.replace(`t=${time}`, `t=${time + later}`),
      });
      expect(acceptedBy(changed, newer)).toEqual([]);
    }
  });
});
