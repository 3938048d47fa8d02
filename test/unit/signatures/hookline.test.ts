import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import Stripe from 'stripe';
import { signHookline } from '#lib/signatures';
import { hooklineHeaders } from './vectors.ts';
import { nowSeconds, verify } from './verify.ts';

const secret = 'whsec_test';
const body = Buffer.from('{"id":"evt_1"}');
const hmac = (key: string, timestamp: string, bytes: Uint8Array): string =>
  createHmac('sha256', Buffer.from(key)).update(Buffer.from(timestamp)).update('.').update(bytes).digest('hex');

const fill = (template: string): string =>
  template.replaceAll('{t}', String(nowSeconds)).replaceAll('{v1}', hmac(secret, String(nowSeconds), body));

describe('the hookline scheme', () => {
  test.each(hooklineHeaders)('answers $verdict to $given', ({ header, verdict }) => {
    expect(verify('hookline', { header: fill(header), chunks: [body] })).toBe(verdict);
  });

  test('(mutant) a verifier that reads headers leniently does not pass the same table', () => {
    const stripe = new Stripe('sk_test_unused');
    const accepts = (header: string): boolean => {
      try {
        stripe.webhooks.constructEvent(body, header, secret, 300, undefined, nowSeconds);
        return true;
      } catch {
        return false;
      }
    };
    const wronglyAccepted = hooklineHeaders.filter(
      ({ header, verdict }) => verdict !== 'valid' && accepts(fill(header)),
    );
    expect(wronglyAccepted.map(({ given }) => given)).toEqual(
      expect.arrayContaining(['t twice', 'a t with letters after its digits']),
    );
  });

  test('an absent header is missing, one that came twice is malformed even where both are right', () => {
    const header = signHookline({ secret, timestampSeconds: nowSeconds, body });
    expect(verify('hookline', { header: undefined, chunks: [body] })).toBe('signature_missing');
    expect(verify('hookline', { header: [header, header], chunks: [body] })).toBe('signature_malformed');
    expect(verify('hookline', { header: [header], chunks: [body] })).toBe('signature_malformed');
  });

  test.each([
    [-301, 'timestamp_out_of_tolerance'],
    [-300, 'valid'],
    [-299, 'valid'],
    [299, 'valid'],
    [300, 'valid'],
    [301, 'timestamp_out_of_tolerance'],
  ])('a signature made %i seconds from now is %s', (distance, verdict) => {
    const header = signHookline({ secret, timestampSeconds: nowSeconds + distance, body });
    expect(verify('hookline', { header, chunks: [body] })).toBe(verdict);
  });

  test('the whole secret is the key, its prefix included', () => {
    const header = signHookline({ secret: 'test', timestampSeconds: nowSeconds, body });
    expect(verify('hookline', { header, secrets: ['whsec_test'], chunks: [body] })).toBe('signature_invalid');
    expect(verify('hookline', { header, secrets: ['test'], chunks: [body] })).toBe('valid');
  });

  test('any of several secrets will do, wherever it stands in the list', () => {
    const header = signHookline({ secret, timestampSeconds: nowSeconds, body });
    expect(verify('hookline', { header, secrets: ['old', 'older', secret], chunks: [body] })).toBe('valid');
    expect(verify('hookline', { header, secrets: [secret, 'old', 'older'], chunks: [body] })).toBe('valid');
    expect(verify('hookline', { header, secrets: ['old', 'older'], chunks: [body] })).toBe('signature_invalid');
  });

  test.each([[['']], [['   ']], [['whsec_']], [[]]])(
    'a secret that anyone could guess signs nothing: %j',
    (secrets) => {
      const header = `t=${nowSeconds},v1=${hmac(secrets[0] ?? '', String(nowSeconds), body)}`;
      expect(verify('hookline', { header, secrets, chunks: [body] })).toBe('signature_invalid');
    },
  );

  test.each([
    ['no UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ['a byte order mark', Buffer.from('\ufeff{}')],
    ['an emoji', Buffer.from('😀 body')],
    ['no JSON', Buffer.from('} I am not valid JSON; 123][')],
    ['nothing', Buffer.alloc(0)],
  ])('bytes are signed as they are: %s', (_what, bytes) => {
    const header = signHookline({ secret, timestampSeconds: nowSeconds, body: bytes });
    expect(verify('hookline', { header, chunks: [bytes] })).toBe('valid');
  });

  test('one flipped bit, in the body or in the last digit of the signature, is a wrong signature', () => {
    const header = signHookline({ secret, timestampSeconds: nowSeconds, body });
    const flipped = Buffer.from(body);
    flipped[3] = (flipped[3] ?? 0) ^ 1;
    const lastDigit = (Number.parseInt(header.slice(-1), 16) ^ 1).toString(16);
    expect(verify('hookline', { header, chunks: [flipped] })).toBe('signature_invalid');
    expect(verify('hookline', { header: header.slice(0, -1) + lastDigit, chunks: [body] })).toBe('signature_invalid');
  });

  test('whatever comes, it never throws, and accepts what an independent HMAC over the whole body says, no more and no less', () => {
    const digit = fc.constantFrom('t', 'v1', ' v1', 'v0', '', 'T');
    const value = fc.oneof(
      fc.constantFrom('{t}', '{v1}', '{v1}', '', 'Infinity', '-{t}', '{t}.5', 'zz'),
      fc.string({ maxLength: 10 }),
    );
    const part = fc.tuple(digit, fc.constantFrom('=', '=', '=', ''), value).map((texts) => texts.join(''));
    const header = fc.oneof(
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join(',')),
      fc.constant('t={t},v1={v1}'),
      fc.string(),
    );
    const chunks = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 4 });
    const signingKey = fc.constantFrom('one', 'two', 'three');
    const distance = fc.integer({ min: -310, max: 310 });
    let accepted = 0;
    fc.assert(
      fc.property(header, chunks, signingKey, distance, (template, pieces, key, seconds) => {
        const timestamp = String(nowSeconds + seconds);
        const whole = Buffer.concat(pieces);
        const given = template.replaceAll('{t}', timestamp).replaceAll('{v1}', hmac(key, timestamp, whole));
        const verdict = verify('hookline', { header: given, secrets: ['one', 'two'], chunks: pieces });

        const parts = given.split(',');
        const times = parts.filter((text) => text === 't' || text.startsWith('t='));
        const [time = ''] = times.map((text) => text.slice(2));
        const right = ['one', 'two'].map((known) => `v1=${hmac(known, time, whole)}`);
        const expected =
          parts.length <= 10 &&
          times.length === 1 &&
          /^[0-9]+$/.test(time) &&
          Math.abs(Number(time) - nowSeconds) <= 300 &&
          parts.some((text) => right.includes(text));
        accepted += Number(expected);
        expect(verdict === 'valid').toBe(expected);
      }),
      { numRuns: 2_000 },
    );
    // A property that has only seen refusals has shown nothing.
    expect(accepted).toBeGreaterThan(100);
  });
});
