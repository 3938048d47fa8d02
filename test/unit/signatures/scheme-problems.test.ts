import { type HmacSettings, type SourceScheme, sourceSchemes, type SourceSettings } from '#lib/contract';
import { schemeProblems, schemeSettings, signatureSchemes } from '#lib/signatures';
import { heldSecrets, schemeCases } from './scheme-cases.ts';
import { verifyRequest } from './verify.ts';

const hmac: HmacSettings = { algorithm: 'sha256', encoding: 'hex', header: 'X-Sig', signed: 'body' };
const timed = { ...hmac, signed: 'timestamp.body', timestamp_header: 'X-Time' };

/** Settings that a source must have beside its name and scheme. */
const needed: Partial<Record<SourceScheme, SourceSettings>> = {
  square: { public_url: 'https://example.com/hook' },
  twilio: { public_url: 'https://example.com/hook' },
  hmac: { hmac },
};

const fieldsOf = (
  scheme: SourceScheme,
  settings: SourceSettings,
  secret = signatureSchemes[scheme].generateSecret(bytes),
) => schemeProblems(scheme, { settings, secret }).map(({ field }) => field);
const bytes = (size: number): Buffer => Buffer.alloc(size, 0xa5);

describe('what a scheme needs of its source', () => {
  test.each(sourceSchemes)('%s is ready with a secret that it generates, and what it needs', (scheme) => {
    const settings = needed[scheme] ?? {};
    expect(fieldsOf(scheme, settings)).toEqual([]);
    // A generated secret also signs and verifies.
    const secret = signatureSchemes[scheme].generateSecret(bytes);
    const request = { secret, timestampSeconds: 1_700_000_000, body: Buffer.from('{}'), id: 'x' };
    const signed = signatureSchemes[scheme].sign({ ...request, settings: schemeSettings(scheme, settings) });
    const headers = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]));
    expect(verifyRequest(scheme, { headers, secrets: [secret], chunks: [request.body], settings })).toBe('valid');
  });

  test.each(schemeCases)('$name has no problem with what it verifies', (testCase) => {
    const { scheme, settings = {} } = testCase;
    for (const secret of testCase.secrets) {
      expect(schemeProblems(scheme, { settings, secret, purpose: 'sign' })).toEqual([]);
      const [held = ''] = heldSecrets(testCase, [secret]);
      expect(schemeProblems(scheme, { settings, secret: held })).toEqual([]);
    }
  });

  test.each(sourceSchemes)('%s has a problem with a secret that anyone could guess', (scheme) => {
    for (const secret of ['', '  ', 'whsec_', 'whsec_ '])
      expect(fieldsOf(scheme, needed[scheme] ?? {}, secret)).toEqual(['/secret']);
  });

  test.each<[string, SourceScheme, SourceSettings, string[]]>([
    ['no public_url', 'square', {}, ['/public_url']],
    ['no public_url', 'twilio', {}, ['/public_url']],
    ['a public_url that is none', 'square', { public_url: 'example.com/hook' }, ['/public_url']],
    ['a public_url of another kind', 'twilio', { public_url: 'ftp://example.com/hook' }, ['/public_url']],
    ['no hmac', 'hmac', {}, ['/hmac']],
    ['hmac of another scheme', 'github', { hmac }, ['/hmac']],
    ['a header said twice', 'hmac', { hmac, signature_header: 'X-Other' }, ['/signature_header']],
    ['a header that names no others', 'standard-webhooks', { signature_header: 'X-Sig' }, ['/signature_header']],
  ])('%s: %s is not ready', (_what, scheme, settings, fields) => {
    expect(fieldsOf(scheme, settings)).toEqual(fields);
  });

  test.each<[Partial<Record<keyof HmacSettings, unknown>>, string[]]>([
    [{ algorithm: 'md5' }, ['/hmac/algorithm']],
    [{ algorithm: undefined }, ['/hmac/algorithm']],
    [{ encoding: 'binary' }, ['/hmac/encoding']],
    [{ header: 'X Sig' }, ['/hmac/header']],
    [{ header: undefined }, ['/hmac/header']],
    [{ prefix: ' x' }, ['/hmac/prefix']],
    [{ prefix: 'x'.repeat(101) }, ['/hmac/prefix']],
    [{ signed: undefined }, ['/hmac/signed']],
    [{ timestamp_header: undefined }, ['/hmac/timestamp_header']],
    [{ timestamp_header: 'X Time' }, ['/hmac/timestamp_header']],
    [{ signed: 'body' }, ['/hmac/timestamp_header']],
    [{ signed: 'id.timestamp.body' }, ['/hmac/id_header']],
    [{ id_header: 'X-Id' }, ['/hmac/id_header']],
    [{ signed: 'timestamp+url+body' }, ['/public_url']],
    [{ algorithm: 'md5', encoding: 'binary', header: '' }, ['/hmac/algorithm', '/hmac/encoding', '/hmac/header']],
  ])('an hmac with %j is not ready', (changes, fields) => {
    expect(fieldsOf('hmac', { hmac: { ...timed, ...changes } as HmacSettings })).toEqual(fields);
  });

  test.each([
    'body',
    'timestamp.body',
    'timestamp:body',
    'v0:timestamp:body',
    'id.timestamp.body',
    'url+body',
    'body+timestamp',
    'POST+url+body+timestamp',
    'timestamp\nbody',
    'timestamp|body',
  ])('%j can be signed', (signed) => {
    const settings = {
      public_url: 'https://example.com',
      hmac: {
        ...hmac,
        signed,
        ...(signed.includes('timestamp') && { timestamp_header: 'X-Time' }),
        ...(signed.includes('id') && { id_header: 'X-Id' }),
      },
    };
    expect(fieldsOf('hmac', settings)).toEqual([]);
  });

  test.each([
    '',
    'timestamp',
    'body.body',
    'id.id.body',
    '.body',
    'body.',
    'timestamp..body',
    'timestamp body',
    'Body',
    'TIMESTAMP.body',
    'timestamp=body',
    '{timestamp}.{body}',
    'böse.body',
    `body${'.x'.repeat(50)}`,
  ])('%j can not be signed', (signed) => {
    expect(fieldsOf('hmac', { hmac: { ...hmac, signed } })).toEqual(['/hmac/signed']);
  });

  const whpk = `whpk_${Buffer.alloc(32, 7).toString('base64')}`;
  const whsk = `whsk_${Buffer.alloc(32, 7).toString('base64')}`;
  test.each([
    ['standard-webhooks', `whsec_${Buffer.alloc(16).toString('base64')}`, 'verify', true],
    ['standard-webhooks', Buffer.alloc(24).toString('base64'), 'verify', true],
    ['standard-webhooks', `whsec_${Buffer.alloc(15).toString('base64')}`, 'verify', false],
    ['standard-webhooks', 'whsec_not base64', 'verify', false],
    ['standard-webhooks', whpk, 'verify', true],
    ['standard-webhooks', whpk, 'sign', false],
    ['standard-webhooks', whsk, 'verify', false],
    ['standard-webhooks', whsk, 'sign', true],
    ['standard-webhooks', whpk.slice(0, -4), 'verify', false],
    ['standard-webhooks', whsk.slice(0, -4), 'sign', false],
    ['adyen', 'AB'.repeat(32), 'verify', true],
    ['adyen', 'ab'.repeat(16), 'verify', true],
    ['adyen', 'AB'.repeat(15), 'verify', false],
    ['adyen', 'A'.repeat(63), 'verify', false],
    ['adyen', 'whsec_abc', 'verify', false],
  ] as const)('%s with the secret %s to %s is ready: %s', (scheme, secret, purpose, isReady) => {
    expect(schemeProblems(scheme, { settings: {}, secret, purpose }).map(({ field }) => field)).toEqual(
      isReady ? [] : ['/secret'],
    );
  });

  test('messages tell the fields, and never the secret', () => {
    const secret = 'my-own-secret!';
    for (const scheme of sourceSchemes) {
      for (const { message } of schemeProblems(scheme, { settings: {}, secret })) {
        expect(message).toMatch(/^(must|is) /);
        expect(message).not.toContain(secret);
      }
    }
  });
});
