import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import {
  generatePrivateKey,
  generateSecret,
  publicKeyOf,
  readPrivateKey,
  signatureHeaders,
  signingSecret,
} from '#lib/signatures';
import { type RequestHeaders, type VerifyOptions, verifyWebhook } from '../../../packages/receiver/src/index.ts';
import { signAsHookline, signAsStandardWebhooks } from '../../support/sign-webhook.ts';
import { hooklineHeaders, standardWebhooksVector } from '../signatures/vectors.ts';

const nowSeconds = 1_700_000_000;
const now = (): number => nowSeconds * 1_000 + 999;
const secret = generateSecret();
const other = generateSecret();
const id = 'evt_1';
const body = Buffer.from('{"id":"evt_1","note":"ünï\\u001B"}');

function verify(headers: RequestHeaders, options: Partial<VerifyOptions> = {}, bytes: Uint8Array | string = body) {
  const result = verifyWebhook({ headers, body: bytes }, { secrets: [secret], now, ...options });
  return result.valid ? 'valid' : result.code;
}

const sent = (
  secrets: readonly string[] = [secret],
  privateKeys: readonly string[] = [],
  timestampSeconds = nowSeconds,
) =>
  signatureHeaders({
    secrets: secrets.map(signingSecret),
    ed25519Keys: privateKeys.map(readPrivateKey).filter((key) => key !== undefined),
    id,
    timestampSeconds,
    body,
  });

describe('verifyWebhook', () => {
  test.each(['standard-webhooks', 'hookline'] as const)('accepts what Hookline sends, by the scheme %s', (scheme) => {
    const headers = { ...sent(), 'hookline-event-type': 'order.paid', 'hookline-attempt': '3' };
    const result = verifyWebhook({ headers, body }, { secrets: [secret], scheme, now });
    if (!result.valid) throw new Error(result.code);
    const { webhook } = result;
    expect(webhook).toMatchObject({ id, timestampSeconds: nowSeconds, type: 'order.paid', attempt: 3 });
    expect(webhook.body.equals(body)).toBe(true);
    expect(webhook.json()).toEqual({ id: 'evt_1', note: 'ünï\u001b' });
  });

  test('accepts what the official libraries sign', () => {
    const at = new Date(nowSeconds * 1_000);
    for (const Webhook of [StandardWebhook, SvixWebhook]) {
      const signature = new Webhook(secret).sign(id, at, body.toString());
      for (const prefix of ['webhook', 'svix']) {
        const headers = {
          [`${prefix}-id`]: id,
          [`${prefix}-timestamp`]: `${nowSeconds}`,
          [`${prefix}-signature`]: signature,
        };
        const result = verifyWebhook({ headers, body }, { secrets: [secret], now });
        expect(result).toMatchObject({
          valid: true,
          webhook: { id, timestampSeconds: nowSeconds, attempt: undefined },
        });
      }
    }
    const header = new Stripe('sk_test_unused').webhooks.generateTestHeaderString({
      payload: body.toString(),
      timestamp: nowSeconds,
      secret,
    });
    expect(verify({ 'Hookline-Signature': header }, { scheme: 'hookline' })).toBe('valid');
  });

  test('accepts what is signed by hand, with nothing of ours', () => {
    expect(verify(signAsHookline(secret, body, nowSeconds), { scheme: 'hookline' })).toBe('valid');
    expect(verify(signAsStandardWebhooks(secret, body, id, nowSeconds))).toBe('valid');
  });

  test('accepts the published vector of Standard Webhooks', () => {
    const { secret: key, timestampSeconds, signature, body: text } = standardWebhooksVector;
    const headers = {
      'webhook-id': standardWebhooksVector.id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signature,
    };
    const options = { secrets: [key], now: () => timestampSeconds * 1_000 };
    expect(verify(headers, options, text)).toBe('valid');
    expect(verify(headers, options, `${text} `)).toBe('signature_invalid');
  });

  test.each(hooklineHeaders)('answers $verdict to $given', ({ header, verdict }) => {
    const v1 = signAsHookline(secret, body, nowSeconds)['hookline-signature']?.split('v1=')[1] ?? '';
    const filled = header.replaceAll('{t}', String(nowSeconds)).replaceAll('{v1}', v1);
    expect(verify({ 'hookline-signature': filled }, { scheme: 'hookline' })).toBe(verdict);
  });

  test('verifies v1a with the public key of the pair, beside v1 or alone', () => {
    const [privateKey, stranger] = [generatePrivateKey(randomBytes), generatePrivateKey(randomBytes)];
    const publicKey = publicKeyOf(privateKey) ?? '';
    expect(verify(sent([], [privateKey]), { secrets: [publicKey] })).toBe('valid');
    expect(verify(sent([other], [stranger, privateKey]), { secrets: [publicKey] })).toBe('valid');
    expect(verify(sent([other], [privateKey]), { secrets: [other] })).toBe('valid');
    expect(verify(sent([], [stranger]), { secrets: [publicKey] })).toBe('signature_invalid');
    expect(verify(sent([], [privateKey]), { secrets: [publicKey] }, `${body.toString()} `)).toBe('signature_invalid');
    // The public key is no shared secret, which everyone could sign with.
    const forged = new StandardWebhook(Buffer.from(publicKey), { format: 'raw' });
    const signature = forged.sign(id, new Date(nowSeconds * 1_000), body.toString());
    expect(verify({ ...sent(), 'webhook-signature': signature }, { secrets: [publicKey] })).toBe('signature_invalid');
  });

  test('accepts the old secret and the new one while one is rotated', () => {
    expect(verify(sent([other, secret]))).toBe('valid');
    expect(verify(sent([secret]), { secrets: [other, secret] })).toBe('valid');
    expect(verify(sent([other]))).toBe('signature_invalid');
  });

  test.each([
    [-301, 'timestamp_out_of_tolerance'],
    [-300, 'valid'],
    [300, 'valid'],
    [301, 'timestamp_out_of_tolerance'],
  ])('says of a signature made %i seconds from now: %s', (distance, verdict) => {
    const headers = sent([secret], [], nowSeconds + distance);
    expect(verify(headers)).toBe(verdict);
    expect(verify(headers, { scheme: 'hookline' })).toBe(verdict);
    expect(verify(headers, { toleranceSeconds: 1_000 })).toBe('valid');
  });

  test('refuses a changed id, time or body, and a request without a signature', () => {
    const good = sent();
    expect(verify({ ...good, 'webhook-id': 'evt_2' })).toBe('signature_invalid');
    expect(verify({ ...good, 'webhook-timestamp': String(nowSeconds + 1) })).toBe('signature_invalid');
    expect(verify(good, {}, JSON.stringify(JSON.parse(body.toString())))).toBe('signature_invalid');
    expect(verify({ 'webhook-id': id })).toBe('signature_missing');
    expect(verify({ ...good, 'webhook-id': undefined })).toBe('signature_malformed');
  });

  test('reads a Headers object, raw headers, and names in any case', () => {
    const good = sent();
    expect(verify(new Headers(good))).toBe('valid');
    expect(verify(Object.entries(good).flat())).toBe('valid');
    expect(verify(Object.entries(good).flatMap(([name, value]) => [name.toUpperCase(), value]))).toBe('valid');
  });

  test('refuses a header that came twice', () => {
    const raw = Object.entries(sent()).flat();
    expect(verify([...raw, 'Webhook-Signature', sent()['webhook-signature']])).toBe('signature_malformed');
    expect(verify([...raw, 'Webhook-Id', 'evt_2'])).toBe('signature_malformed');
    expect(verify({ ...sent(), 'Webhook-ID': 'evt_2' })).toBe('signature_malformed');
    // A Headers object joins them to one that nobody signed.
    const joined = new Headers(sent());
    joined.append('webhook-id', 'evt_2');
    expect(verify(joined)).toBe('signature_invalid');
  });

  test('json() says what it cannot read', () => {
    const result = verifyWebhook(
      { headers: { ...sent(), 'content-encoding': 'gzip' }, body },
      { secrets: [secret], now },
    );
    expect(() => result.valid && result.webhook.json()).toThrow('decode it from gzip first');
  });

  test.each([
    [{ secrets: [] }, 'a list of one or more'],
    [{ secrets: [''] }, 'is empty'],
    [{ secrets: ['whsec_'] }, 'is empty'],
    [{ secrets: [undefined as unknown as string] }, 'is not text'],
    [{ secrets: [generatePrivateKey(randomBytes)] }, 'is a private key'],
    [{ secrets: ['whpk_AAAA'] }, 'Ed25519 public key'],
    [
      { secrets: [publicKeyOf(generatePrivateKey(randomBytes)) ?? ''], scheme: 'hookline' as const },
      'only standard-webhooks',
    ],
    [{ secrets: [secret], scheme: 'md5' as 'hookline' }, 'unknown scheme'],
    [{ secrets: [secret], toleranceSeconds: Number.NaN }, 'toleranceSeconds'],
  ])('throws for options that could verify nothing: %j', (options, message) => {
    expect(() => verifyWebhook({ headers: sent(), body }, options)).toThrow(message);
  });

  test('verifies with a key pair that another program made', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
    const headers = signatureHeaders({
      secrets: [],
      ed25519Keys: [privateKey],
      id,
      timestampSeconds: nowSeconds,
      body,
    });
    expect(verify(headers, { secrets: [`whpk_${bytes}`] })).toBe('valid');
  });
});
