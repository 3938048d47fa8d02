import { type HmacSettings, sourceSchemes, type SourceSettings } from '#lib/contract';
import { signatureSchemes } from '#lib/signatures';
import { readSource } from '../../../services/ingress/sources/source.ts';
import { secretBox, sourceRow } from './harness.ts';

const hmac = { algorithm: 'sha256', encoding: 'hex', header: 'X-Sig', signed: 'body' } as const;
const nonsense = { signed: 5, prefix: null } as unknown as HmacSettings;
const settings: SourceSettings = { public_url: 'https://example.com/hook' };
const random = (size: number): Buffer => Buffer.alloc(size, 0xa5);

const read = (row: Parameters<typeof sourceRow>[0]) => readSource(sourceRow(row), secretBox);

test.each(sourceSchemes)('a source of the scheme %s is ready with what the API stores', (scheme) => {
  const stored = [{ secret: signatureSchemes[scheme].generateSecret(random) }];
  const ready = read({ scheme, stored, settings: scheme === 'hmac' ? { hmac } : settings });
  expect(ready).toMatchObject({ source: { state: 'active', scheme: signatureSchemes[scheme] } });
});

test('the header of hmac is the one that it names', () => {
  expect(read({ scheme: 'hmac', settings: { hmac } })).toMatchObject({
    source: { schemeSettings: { signatureHeader: 'x-sig' } },
  });
});

test.each<[string, Parameters<typeof sourceRow>[0], string]>([
  ['twilio without a URL', { scheme: 'twilio', settings: {} }, 'scheme twilio: /public_url is required'],
  ['hmac without hmac', { scheme: 'hmac', settings: {} }, 'scheme hmac: /hmac is required'],
  ['hmac of nonsense', { scheme: 'hmac', settings: { hmac: nonsense } }, 'scheme hmac: /hmac/algorithm'],
  ['adyen without a hex key', { scheme: 'adyen', stored: [{ secret: 'x' }] }, 'scheme adyen: /secret must be'],
])('%s can verify nothing: its senders are told to come again, and nothing is lost', (_what, row, problem) => {
  expect(read(row)).toEqual({ problem: expect.stringContaining(problem) as string });
});

test('one secret of a rotation that can verify is enough', () => {
  const key = signatureSchemes.adyen.generateSecret(random);
  expect(read({ scheme: 'adyen', stored: [{ secret: 'x' }, { secret: key }] })).toMatchObject({
    source: { state: 'active' },
  });
});
