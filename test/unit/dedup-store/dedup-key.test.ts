import fc from 'fast-check';
import { dedupKeyOf, eventIdOf, type Identifier } from '#lib/dedup-store';

const text = (value: string): Identifier => ({ kind: 'text', text: value });
const hex = (tenant: string, source: string, identifier: Identifier): string =>
  dedupKeyOf(tenant, source, identifier).toString('hex');

describe('a dedup key', () => {
  it('is 16 bytes, and the same for the same tenant, source and identifier', () => {
    expect(dedupKeyOf('t', 's', text('a'))).toHaveLength(16);
    expect(hex('t', 's', text('a'))).toBe(hex('t', 's', text('a')));
  });

  it('does not change between releases: stored keys would be forgotten', () => {
    expect(hex('default', 'src_1', text('evt_1'))).toBe('2c20d7d423daad3948c09fc66b3d5720');
    expect(hex('default', 'src_1', { kind: 'number', source: '12345678901234567890' })).toBe(
      'ccce5de79c16aeb42f16d115ff193516',
    );
  });

  it('is not confused by where one part ends and the next begins', () => {
    const parts = fc.string({ maxLength: 4, unit: fc.constantFrom('a', ':', '1', '\0', 'é') });
    fc.assert(
      fc.property(fc.tuple(parts, parts, parts), fc.tuple(parts, parts, parts), ([a, b, c], [d, e, f]) => {
        const same = a === d && b === e && c === f;
        expect(hex(a, b, text(c)) === hex(d, e, text(f))).toBe(same);
      }),
    );
  });

  it('tells a text, a number and a body apart, whatever bytes they have', () => {
    const sha256 = Buffer.alloc(32, '1');
    const keys = [
      text(sha256.toString()),
      { kind: 'body', sha256 } as const,
      { kind: 'number', source: '1'.repeat(32) } as const,
    ];
    expect(new Set(keys.map((identifier) => hex('t', 's', identifier))).size).toBe(3);
  });

  it('tells texts apart that would be the same bytes of UTF-8: lone surrogates and the replacement character', () => {
    const alike = ['\ud800', '\ud801', '\udc00', '\ufffd', 'a\ud800', 'a\ufffd'];
    expect(new Set(alike.map((value) => hex('t', 's', text(value)))).size).toBe(alike.length);
  });

  it('does not take texts for one that only look the same', () => {
    expect(hex('t', 's', text('\u00e9'))).not.toBe(hex('t', 's', text('e\u0301')));
  });
});

describe('an event id', () => {
  const record = {
    tenant: 't',
    sourceId: 's',
    origin: 'webhooks.received-0-1',
    receiptId: 'rcp_1',
    receivedAt: 1_700_000_000_123_456,
  };

  it('is a function of the record', () => {
    expect(eventIdOf(record)).toBe(eventIdOf({ ...record }));
    expect(eventIdOf(record)).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it.each([
    ['position', { origin: 'webhooks.received-0-2' }],
    ['receipt, where a topic was made anew', { receiptId: 'rcp_2' }],
    ['tenant', { tenant: 'u' }],
  ])('is another one for another %s', (_what, change) => {
    expect(eventIdOf({ ...record, ...change })).not.toBe(eventIdOf(record));
  });
});
