import fc from 'fast-check';
import { formatMicros, parseRfc3339 } from '#lib/runtime';

describe('instants as text', () => {
  test('keep every microsecond on the way out and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000_000 }), (micros) => {
        expect(parseRfc3339(formatMicros(micros))).toBe(micros);
      }),
    );
  });

  test.each([
    ['2026-11-21T07:55:23Z', 1_795_247_723_000_000],
    ['2026-11-21T07:55:23.1Z', 1_795_247_723_100_000],
    ['2026-11-21t08:55:23.000001+01:00', 1_795_247_723_000_001],
    ['2026-11-21T07:55:23.123456789Z', 1_795_247_723_123_456],
  ])('%s is read', (text, micros) => {
    expect(parseRfc3339(text)).toBe(micros);
  });

  test.each([
    '',
    'now',
    '2026-11-21',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T25:00:00Z',
    '2026-11-21T07:55:23',
    '1795247723',
    '2026-11-21T07:55:23.Z',
  ])('%j is refused', (text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  });
});
