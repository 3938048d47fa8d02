import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { githubVectors, hmacVectors } from './vectors.ts';
import { verify } from './verify.ts';

const sign = (secret: string, body: Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('the github scheme', () => {
  test.each(githubVectors)('accepts the published vector of $source', ({ secret, body, header }) => {
    expect(verify('github', { header, secrets: [secret], chunks: [Buffer.from(body)] })).toBe('valid');
  });

  test.each(hmacVectors)('agrees with a published HMAC of $body', ({ secret, body, hex }) => {
    expect(verify('github', { header: `sha256=${hex}`, secrets: [secret], chunks: [Buffer.from(body)] })).toBe('valid');
  });

  test('has no time: an old delivery that is sent again verifies', () => {
    const body = Buffer.from('{}');
    expect(verify('github', { header: sign('s', body), secrets: ['s'], chunks: [body], nowSeconds: 0 })).toBe('valid');
  });

  const body = Buffer.from('{"zen":"Design for failure."}');
  const right = sign('s', body);
  test.each([
    ['an absent header', undefined, 'signature_missing'],
    ['an empty header', '', 'signature_malformed'],
    ['the header twice', [right, right], 'signature_invalid'],
    ['the older sha1 form', `sha1=${right.slice(7, 47)}`, 'signature_invalid'],
    ['no prefix', right.slice(7), 'signature_invalid'],
    ['the prefix alone', 'sha256=', 'signature_invalid'],
    ['a digit too few', right.slice(0, -1), 'signature_invalid'],
    ['a digit too many', `${right}0`, 'signature_invalid'],
    ['letters that are no hex', `sha256=${'g'.repeat(64)}`, 'signature_invalid'],
    ['capitals', right.toUpperCase(), 'signature_invalid'],
    ['another signature', sign('other', body), 'signature_invalid'],
    ['two signatures in one', `${right},${right}`, 'signature_invalid'],
  ])('%s is %j: %s', (_what, header, verdict) => {
    expect(verify('github', { header, secrets: ['s'], chunks: [body] })).toBe(verdict);
  });

  test('whatever comes, it never throws, and accepts what an independent HMAC over the whole body says, no more and no less', () => {
    const template = fc.oneof(fc.constantFrom('{right}', '{right}', ' {right}', '{right} ', '{wrong}'), fc.string());
    const chunks = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 4 });
    fc.assert(
      fc.property(template, chunks, fc.constantFrom('one', 'two', 'three'), (text, pieces, key) => {
        const whole = Buffer.concat(pieces);
        const header = text.replace('{right}', sign(key, whole)).replace('{wrong}', sign('four', whole));
        const verdict = verify('github', { header, secrets: ['one', 'two'], chunks: pieces });
        expect(verdict === 'valid').toBe(header === sign('one', whole) || header === sign('two', whole));
      }),
      { numRuns: 1_000 },
    );
  });
});
