import fc from 'fast-check';
import { toRejectionRow } from '../../../services/ingress/rejections/rejection-row.ts';
import { rejectionOf } from './rejections.ts';

const headersOf = (rawHeaders: string[], signatureHeader = 'hookline-signature'): Record<string, string> =>
  JSON.parse(toRejectionRow(rejectionOf({ rawHeaders, signatureHeader })).headers) as Record<string, string>;

describe('what is kept of a refused webhook', () => {
  test('are the facts, with the time in microseconds', () => {
    expect(toRejectionRow(rejectionOf({ bodyBytes: 7, bodyBeginning: Buffer.from('garbage') }))).toEqual({
      tenant: 'acme',
      source_id: 'src_1',
      id: 'rej_1',
      at: '2026-01-01T00:00:00.000000Z',
      code: 'signature_invalid',
      client_address: '192.0.2.1',
      headers: '{}',
      body_bytes: 7,
      body: Buffer.from('garbage'),
    });
    expect(toRejectionRow(rejectionOf())).toMatchObject({ body_bytes: null, body: null });
  });

  test('are the headers by lower-case name, the signature as it came, twice if it came twice', () => {
    expect(headersOf(['Host', 'a', 'Hookline-Signature', 't=1', 'hookline-signature', 't=2'])).toEqual({
      host: 'a',
      'hookline-signature': 't=1, t=2',
    });
  });

  test.each([
    'Authorization',
    'Proxy-Authorization',
    'Cookie',
    'X-Api-Key',
    'X-Gitlab-Token',
    'X-Amz-Security-Token',
    'Client-Secret',
    'X-Password',
    'X-Auth-User',
    'X-Session-Id',
  ])('is no value of %s', (name) => {
    expect(headersOf([name, 'hunter2', name, 'hunter3'])).toEqual({ [name.toLowerCase()]: '[redacted]' });
  });

  test('is the source’s own signature header, whatever its name smells of, but never a credential', () => {
    expect(headersOf(['X-Auth-Token', 'abc'], 'x-auth-token')).toEqual({ 'x-auth-token': 'abc' });
    expect(headersOf(['Authorization', 'Bearer abc'], 'authorization')).toEqual({ authorization: '[redacted]' });
  });

  test('is bounded in every direction', () => {
    expect(headersOf(['x', 'y'.repeat(5_000)])).toEqual({ x: `${'y'.repeat(1_024)}… (5000 characters)` });
    const many = Array.from({ length: 500 }, (_, index) => [`x-${index}`, 'y']).flat();
    expect(Object.keys(headersOf(many))).toHaveLength(100);
    expect(toRejectionRow(rejectionOf({ clientAddress: 'x'.repeat(9_000) })).client_address).toHaveLength(64);
  });

  test('is an address in its usual form, a mapped one as IPv4', () => {
    expect(toRejectionRow(rejectionOf({ clientAddress: '::ffff:192.0.2.1' })).client_address).toBe('192.0.2.1');
  });

  test('can be written by Postgres, whatever came', () => {
    const text = fc.string({ unit: 'binary', maxLength: 2_000 }).map((value) => `${value}\0\ud800`);
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), text, (rawHeaders, clientAddress) => {
        const row = toRejectionRow(rejectionOf({ rawHeaders, clientAddress }));
        for (const written of [row.headers, row.client_address]) {
          expect(written).not.toContain('\0');
          expect(written).not.toMatch(/\\u(?:0000|d[89a-f])/i);
          expect(written.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
