import fc from 'fast-check';
// Imported from within the lib: every sender stores the same parts of a response.
import { keptHeaders } from '../../../libs/http-client/answer-headers.ts';
import { failureOf } from '../../../libs/http-client/send-failure.ts';

const bytesOf = (pairs: readonly (readonly [string, string])[]): number =>
  pairs.reduce((bytes, [name, value]) => bytes + Buffer.byteLength(name) + Buffer.byteLength(value), 0);

describe('what is kept of an answer’s headers', () => {
  it('is all of them, in their order, where they are few', () => {
    expect(keptHeaders({ server: 'x', 'set-cookie': ['a=1', 'b=2'], etag: '"1"' })).toEqual([
      ['server', 'x'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['etag', '"1"'],
    ]);
  });

  it('is without the blanks around values', () => {
    expect(keptHeaders({ 'retry-after': '300 ', many: ['a\t', 'b c \t '], blank: '' })).toEqual([
      ['retry-after', '300'],
      ['many', 'a'],
      ['many', 'b c'],
      ['blank', ''],
    ]);
  });

  it('says where a value was cut, and how many headers are missing', () => {
    const kept = keptHeaders({ long: 'x'.repeat(2_000), many: Array.from({ length: 100 }, (_, at) => String(at)) });
    expect(kept[0]).toEqual(['long', `${'x'.repeat(1_023)}…`]);
    expect(kept).toHaveLength(64);
    expect(kept.at(-1)).toEqual(['…', '38 more']);
  });

  it('is bounded whatever comes', () => {
    const value = fc.string({ maxLength: 5_000, unit: 'grapheme' });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 300 }), value), { maxLength: 100 }),
        (pairs) => {
          const kept = keptHeaders(Object.fromEntries(pairs));
          expect(kept.length).toBeLessThanOrEqual(64);
          expect(bytesOf(kept)).toBeLessThanOrEqual(8 * 1024 + 20);
          for (const [, text] of kept) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_024 * 4);
        },
      ),
    );
  });
});

describe('why there is no answer', () => {
  const codes = [
    'ECONNREFUSED',
    'ECONNRESET',
    'EHOSTUNREACH',
    'ENOTFOUND',
    'UND_ERR_SOCKET',
    'CERT_HAS_EXPIRED',
    'EWHATEVER',
  ];
  const errorOf = (code: string): Error =>
    Object.assign(new Error(`connect ${code} 10.0.0.5:443 db.internal at ns1.internal`), { code });

  it.each(codes.flatMap((code) => [['connect', code] as const, ['tls', code] as const]))(
    'is told without an address, a name or the system’s words: while %s, %s',
    (during, code) => {
      const { message, operatorDetail } = failureOf(errorOf(code), during);
      expect(message).not.toMatch(/10\.0\.0\.5|internal|443|E[A-Z]{4}/);
      expect(operatorDetail).toBe(`${code}: connect ${code} 10.0.0.5:443 db.internal at ns1.internal`);
    },
  );

  it('is that of the first address where several were tried', () => {
    const { message } = failureOf(new AggregateError([errorOf('ECONNREFUSED'), errorOf('ENETUNREACH')]), 'connect');
    expect(message).toBe('the connection was refused');
  });

  it('is TLS where the server objects to our certificate after the handshake', () => {
    expect(failureOf(errorOf('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'connect')).toMatchObject({
      outcome: 'tls',
      message: 'the server asks for a client certificate',
    });
    expect(failureOf(errorOf('ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'), 'connect')).toMatchObject({
      outcome: 'tls',
      message: 'the server refused our certificate',
    });
  });
});
