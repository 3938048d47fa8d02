import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { verifyRequest } from './verify.ts';

const key = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
const sign = (text: string, by = key): string =>
  createHmac('sha256', Buffer.from(by, 'hex')).update(text).digest('base64');

const fields = {
  pspReference: '7914073381342284',
  merchantAccountCode: 'TestMerchant',
  merchantReference: 'TestPayment-1407325143704',
  amount: { currency: 'EUR', value: 1130 },
  eventCode: 'AUTHORISATION',
  success: 'true',
};
const signature = sign('7914073381342284::TestMerchant:TestPayment-1407325143704:1130:EUR:AUTHORISATION:true');

const item = (changes: object = {}, hmacSignature: unknown = signature) => ({
  NotificationRequestItem: { ...fields, additionalData: { hmacSignature }, ...changes },
});
const verifyBody = (body: string | Buffer, secrets: readonly string[] = [key]) =>
  verifyRequest('adyen', { headers: {}, secrets, chunks: [Buffer.from(body as string)] });
const verifyItems = (...notificationItems: unknown[]) =>
  verifyBody(JSON.stringify({ live: 'false', notificationItems }));

describe('standard notifications of adyen', () => {
  test('are signed in each item, over eight fields of which one may be absent', () => {
    expect(verifyItems(item())).toBe('valid');
    expect(verifyItems(item({ originalReference: null, reason: 'whatever is not signed' }))).toBe('valid');
    expect(verifyItems(item({ success: true }))).toBe('valid');
  });

  test('are verified with the key in either case, and with each key of a rotation', () => {
    const body = JSON.stringify({ notificationItems: [item()] });
    expect(verifyBody(body, [key.toLowerCase()])).toBe('valid');
    expect(verifyBody(body, ['AA'.repeat(32), key])).toBe('valid');
    expect(verifyBody(body, ['AA'.repeat(32)])).toBe('signature_invalid');
    expect(verifyBody(body, ['', 'not hex', key.slice(1)])).toBe('signature_invalid');
  });

  test.each(Object.keys(fields))('are refused where %s is another', (field) => {
    expect(verifyItems(item({ [field]: field === 'amount' ? { currency: 'EUR', value: 1131 } : 'other' }))).toBe(
      'signature_invalid',
    );
    expect(verifyItems(item({ [field]: undefined }))).toBe('signature_invalid');
  });

  test('have to be right in every item', () => {
    expect(verifyItems(item(), item())).toBe('valid');
    expect(verifyItems(item(), item({ pspReference: 'forged' }))).toBe('signature_invalid');
    expect(verifyItems(item({ pspReference: 'forged' }), item())).toBe('signature_invalid');
    expect(verifyItems(item(), item({ additionalData: {} }))).toBe('signature_missing');
    expect(verifyItems(item(), {})).toBe('signature_missing');
  });

  test('have colons and backslashes unescaped, as Adyen’s own libraries found out', () => {
    const changes = { merchantReference: '14-08-2020-09:53:00\\x' };
    const signed = sign('7914073381342284::TestMerchant:14-08-2020-09:53:00\\x:1130:EUR:AUTHORISATION:true');
    expect(verifyItems(item(changes, signed))).toBe('valid');
  });

  test.each([
    ['nothing', '', 'signature_missing'],
    ['no JSON', '{', 'signature_missing'],
    ['no object', 'null', 'signature_missing'],
    ['an array', '[]', 'signature_missing'],
    ['no items', '{"notificationItems":[]}', 'signature_missing'],
    ['items that are no list', '{"notificationItems":{"0":{}}}', 'signature_missing'],
    ['an item that is null', '{"notificationItems":[null]}', 'signature_missing'],
    ['a signature that is no text', JSON.stringify({ notificationItems: [item({}, 1)] }), 'signature_missing'],
    ['an empty signature', JSON.stringify({ notificationItems: [item({}, '')] }), 'signature_missing'],
    ['a signature that is no base64', JSON.stringify({ notificationItems: [item({}, '?')] }), 'signature_invalid'],
    [
      'a field that is an object',
      JSON.stringify({ notificationItems: [item({ pspReference: {} })] }),
      'signature_malformed',
    ],
    [
      'a number that no double holds',
      JSON.stringify({ notificationItems: [item()] }).replace('1130', '9007199254740993'),
      'signature_malformed',
    ],
    [
      'fifty-one items',
      JSON.stringify({ notificationItems: Array.from({ length: 51 }, () => item()) }),
      'signature_malformed',
    ],
    ['a prototype', '{"__proto__":{"notificationItems":[{}]}}', 'signature_missing'],
    ['a quarter of a million levels', '['.repeat(250_000), 'signature_missing'],
    [
      'more than Adyen sends',
      JSON.stringify({ notificationItems: [item({ reason: 'x'.repeat(300_000) })] }),
      'signature_malformed',
    ],
    [
      'a hundred thousand closed levels',
      `{"notificationItems":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'signature_missing',
    ],
  ])('of %s are refused: %#', (_what, body, verdict) => {
    expect(verifyBody(body)).toBe(verdict);
  });

  test('that are no UTF-8 are refused, since their texts can’t be told apart', () => {
    const [before, after] = JSON.stringify({ notificationItems: [item({ reason: '|' })] }).split('|');
    expect(verifyBody(Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xff]), Buffer.from(after ?? '')]))).toBe(
      'signature_missing',
    );
  });

  test('without items need the header, and a wrong one is not made good by right items', () => {
    const chunks = [Buffer.from(JSON.stringify({ notificationItems: [item()] }))];
    const headers = { hmacsignature: sign('another body') };
    expect(verifyRequest('adyen', { headers, secrets: [key], chunks })).toBe('signature_invalid');
  });

  test('of any JSON never throw, and are accepted only with a right signature', () => {
    fc.assert(
      fc.property(fc.json(), fc.jsonValue(), (json, value) => {
        expect(verifyBody(json)).not.toBe('valid');
        expect(verifyItems(value, { NotificationRequestItem: value })).not.toBe('valid');
        expect(verifyItems(item({ amount: value, additionalData: value }))).not.toBe('valid');
      }),
    );
  });
});
