import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { generateSecret, schemeSettings, signatureHeaders, signatureSchemes, signingSecret } from '#lib/signatures';
import { schemeCases } from './scheme-cases.ts';
import { nowSeconds, verifyRequest } from './verify.ts';

const secret = generateSecret();
const other = generateSecret();
const id = 'msg_1';
const body = Buffer.from('{"type":"contact.created"}');
const right = signatureHeaders({ secrets: [signingSecret(secret)], id, timestampSeconds: nowSeconds, body });
const wrong = `v1,${Buffer.alloc(32).toString('base64')}`;

const verify = (
  headers: Record<string, string | string[] | undefined>,
  secrets = [secret],
  signature_header?: string,
) =>
  verifyRequest('standard-webhooks', {
    headers,
    secrets,
    chunks: [body],
    settings: signature_header === undefined ? {} : { signature_header },
  });
const withSignature = (signature: string) => verify({ ...right, 'webhook-signature': signature });

describe('the standard-webhooks scheme', () => {
  test('accepts what the official libraries sign', () => {
    const now = new Date(nowSeconds * 1000);
    for (const Webhook of [StandardWebhook, SvixWebhook]) {
      const signature = new Webhook(secret).sign(id, now, body.toString());
      expect(withSignature(signature)).toBe('valid');
      expect(verify({ 'svix-id': id, 'svix-timestamp': String(nowSeconds), 'svix-signature': signature })).toBe(
        'valid',
      );
    }
  });

  test('signs what the official libraries accept', () => {
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const headers = signatureSchemes['standard-webhooks'].sign({
      secret,
      timestampSeconds,
      body,
      id,
      settings: schemeSettings('standard-webhooks', {}),
    });
    for (const Webhook of [StandardWebhook, SvixWebhook]) {
      expect(new Webhook(secret).verify(body.toString(), headers)).toEqual(JSON.parse(body.toString()));
    }
  });

  const good = right['webhook-signature'];
  test.each([
    ['one of several', `${wrong} ${good}`, 'valid'],
    ['beside versions that are not known', `v2,abc v1a,abc ${good} v0`, 'valid'],
    ['the tenth', `${`${wrong} `.repeat(9)}${good}`, 'valid'],
    ['the eleventh', `${`${wrong} `.repeat(10)}${good}`, 'signature_malformed'],
    ['of another version', good.replace('v1,', 'v2,'), 'signature_malformed'],
    ['of no version', good.replace('v1,', ''), 'signature_malformed'],
    ['the symmetric one called asymmetric', good.replace('v1,', 'v1a,'), 'signature_invalid'],
    ['by comma', `${wrong},${good}`, 'signature_invalid'],
    ['without its padding', good.replace('=', ''), 'signature_invalid'],
    ['with more padding', `${good}=`, 'signature_invalid'],
    ['in base64url', good.replaceAll('+', '-').replaceAll('/', '_').replace('=', '_'), 'signature_invalid'],
    ['none', '', 'signature_malformed'],
  ])('a right signature as %s is %#', (_what, signature, verdict) => {
    expect(withSignature(signature)).toBe(verdict);
  });

  test('the id is signed, has to be there, once, and printable', () => {
    expect(verify({ ...right, 'webhook-id': 'msg_2' })).toBe('signature_invalid');
    for (const given of [undefined, '', [id, id], [id], 'msg\t1', 'mög_1']) {
      expect(verify({ ...right, 'webhook-id': given })).toBe('signature_malformed');
    }
  });

  test('an id that is not signed does not stand beside the signed one, where it would make an old webhook new', () => {
    const svix = { 'svix-id': id, 'svix-timestamp': String(nowSeconds), 'svix-signature': good };
    expect(verify(svix)).toBe('valid');
    expect(verify({ ...svix, 'webhook-id': id })).toBe('valid');
    expect(verify({ ...svix, 'webhook-id': 'msg_2' })).toBe('signature_malformed');
    expect(verify({ ...right, 'svix-id': 'msg_2' })).toBe('valid');
    const brand = { 'x-brand-id': id, 'x-brand-timestamp': String(nowSeconds), 'x-brand-signature': good };
    expect(verify(brand, [secret], 'X-Brand-Signature')).toBe('valid');
    expect(verify({ ...brand, 'svix-id': 'msg_2' }, [secret], 'X-Brand-Signature')).toBe('signature_malformed');
  });

  test('a sender that changes from one kind of key to the other is verified by both', () => {
    const asymmetric = schemeCases.find(({ name }) => name === 'standard-webhooks v1a');
    const [whsk = ''] = asymmetric?.secrets ?? [];
    const whpk = asymmetric?.publicOf?.(whsk) ?? '';
    const byKey = asymmetric?.headers({ secret: whsk, time: String(nowSeconds), id, body })['webhook-signature'] ?? '';
    const both = { ...right, 'webhook-signature': `${good} ${byKey}` };
    for (const secrets of [[secret], [whpk], [secret, whpk], [other, whpk]])
      expect(verify(both, secrets)).toBe('valid');
    expect(verify({ ...right, 'webhook-signature': byKey }, [secret, whpk])).toBe('valid');
    expect(verify({ ...right, 'webhook-signature': byKey }, [secret])).toBe('signature_invalid');
    expect(verify({ ...right, 'webhook-signature': good }, [whpk])).toBe('signature_invalid');
  });

  test('a public key, which anybody may have, makes no symmetric signature', () => {
    const whpk = `whpk_${Buffer.alloc(32, 9).toString('base64')}`;
    for (const key of [whpk, whpk.slice('whpk_'.length), Buffer.alloc(32, 9)]) {
      const forged = createHmac('sha256', key).update(`${id}.${nowSeconds}.`).update(body).digest('base64');
      expect(verify({ ...right, 'webhook-signature': `v1,${forged}` }, [whpk, secret])).toBe('signature_invalid');
    }
  });

  test('a private key is none to verify with: neither as itself nor as the text that it is', () => {
    const whsk = schemeCases.find(({ name }) => name === 'standard-webhooks v1a')?.secrets[0] ?? '';
    expect(verify(right, [whsk])).toBe('signature_invalid');
  });
});
