import { randomBytes } from 'node:crypto';
import {
  generatePrivateKey,
  generateSecret,
  publicKeyOf,
  readPrivateKey,
  schemeSettings,
  signatureHeaders,
  signatureSchemes,
  signingSecret,
} from '#lib/signatures';
import { verifyArrival } from '../../../services/cli/listen/arrivals.ts';

const nowSeconds = 1_800_000_000;
const body = Buffer.from('{"n":1}');
const [secret, old, another] = [generateSecret(), generateSecret(), generateSecret()];
const privateKey = generatePrivateKey(randomBytes);
const publicKey = publicKeyOf(privateKey) ?? '';
const arrived = { query: '', body, nowSeconds };

const signed = (secrets: string[], keys: string[] = []) =>
  signatureHeaders({
    secrets: secrets.map(signingSecret),
    ed25519Keys: keys.flatMap((key) => readPrivateKey(key) ?? []),
    id: 'evt_1',
    timestampSeconds: nowSeconds,
    body,
  });

test('without a secret there is nothing to say', () => {
  expect(verifyArrival({ secrets: [] }, { ...arrived, headers: {} })).toBe('no secret given');
});

test('a delivery is verified by any secret that it is signed with', () => {
  for (const secrets of [[secret], [another, secret], ['a secret of their own']])
    expect(verifyArrival({ secrets }, { ...arrived, headers: signed([old, ...secrets]) })).toBe('verified');
});

test('either form of signature will do where the other is not there', () => {
  const { 'hookline-signature': own, ...standard } = signed([secret]);
  expect(verifyArrival({ secrets: [secret] }, { ...arrived, headers: standard })).toBe('verified');
  expect(verifyArrival({ secrets: [secret] }, { ...arrived, headers: { 'hookline-signature': own } })).toBe('verified');
});

test.each(['hookline-signature', 'webhook-signature'] as const)('where both are there, a wrong %s is seen', (name) => {
  const headers = { ...signed([secret]), [name]: signed([another])[name] };
  expect(verifyArrival({ secrets: [secret] }, { ...arrived, headers })).toBe('signature_invalid');
});

test.each([
  ['no header', {}, 'signature_missing'],
  ['another body', signed([secret]), 'signature_invalid', Buffer.from('{"n":2}')],
  ['another secret', signed([another]), 'signature_invalid'],
  ['a header that is none', { 'hookline-signature': 'v1=00' }, 'signature_malformed'],
])('%s is not verified', (_what, headers, code, arrivedBody: Buffer = body) => {
  expect(verifyArrival({ secrets: [secret] }, { ...arrived, headers, body: arrivedBody })).toBe(code);
});

test('a delivery of ten minutes ago is too old', () => {
  const verdict = verifyArrival(
    { secrets: [secret] },
    { ...arrived, headers: signed([secret]), nowSeconds: nowSeconds + 600 },
  );
  expect(verdict).toBe('timestamp_out_of_tolerance');
});

test('by a public key, what its pair has signed is verified, beside the secret or without one', () => {
  const headers = signed([secret], [privateKey]);
  for (const secrets of [[publicKey], [secret, publicKey]])
    expect(verifyArrival({ secrets }, { ...arrived, headers })).toBe('verified');
});

test('what a public key was given for must be there, and right', () => {
  const secrets = [secret, publicKey];
  const otherKey = generatePrivateKey(randomBytes);
  expect(verifyArrival({ secrets }, { ...arrived, headers: signed([secret]) })).toBe('signature_invalid');
  expect(verifyArrival({ secrets }, { ...arrived, headers: signed([secret], [otherKey]) })).toBe('signature_invalid');
  expect(verifyArrival({ secrets: [publicKey] }, { ...arrived, headers: {} })).toBe('signature_missing');
});

test('a provider’s scheme is the one that counts', () => {
  const settings = schemeSettings('github', {});
  const headers = signatureSchemes.github.sign({ secret, timestampSeconds: nowSeconds, body, id: '1', settings });
  const byHeaderNames = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const trust = { secrets: [secret], scheme: { name: 'github', settings: {} } } as const;
  expect(verifyArrival(trust, { ...arrived, headers: byHeaderNames })).toBe('verified');
  expect(verifyArrival(trust, { ...arrived, headers: signed([secret]) })).toBe('signature_missing');
});
