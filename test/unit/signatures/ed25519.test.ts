import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { generatePrivateKey, publicKeyOf, readPrivateKey, signatureSchemes } from '#lib/signatures';
import { signEd25519 } from '../../../libs/signatures/ed25519.ts';

/** RFC 8032, section 7.1, test 1. */
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const point = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');

test('a generated key is the seed with its public key behind it, and leads to that', () => {
  const privateKey = generatePrivateKey(() => seed);
  expect(privateKey).toBe(`whsk_${Buffer.concat([seed, point]).toString('base64')}`);
  expect(publicKeyOf(privateKey)).toBe(`whpk_${point.toString('base64')}`);
  expect(publicKeyOf(`whsk_${seed.toString('base64')}`)).toBe(`whpk_${point.toString('base64')}`);
});

test('a generated pair signs what anybody verifies, and is a pair to Standard Webhooks', () => {
  const [privateKey, another] = [generatePrivateKey(randomBytes), generatePrivateKey(randomBytes)];
  expect(privateKey).not.toBe(another);
  const publicKey = publicKeyOf(privateKey) ?? '';
  const { problemsOf } = signatureSchemes['standard-webhooks'];
  expect(problemsOf?.({ settings: {}, secret: publicKey, purpose: 'verify' })).toEqual([]);
  expect(problemsOf?.({ settings: {}, secret: privateKey, purpose: 'sign' })).toEqual([]);

  const key = readPrivateKey(privateKey);
  if (key === undefined) throw new Error('no key');
  const message = Buffer.from('message');
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const outside = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  expect(verify(null, message, outside, signEd25519(key, message))).toBe(true);
});

test.each(['', 'whsk_', 'whsk_AAAA', `whpk_${point.toString('base64')}`, 'whsec_AAAA'])(
  '%j has no public key',
  (text) => expect(publicKeyOf(text)).toBeUndefined(),
);
