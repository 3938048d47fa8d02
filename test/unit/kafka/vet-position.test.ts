import fc from 'fast-check';
import { vetPosition } from '../../../libs/kafka/consuming/positions/vet-position.ts';

const log = { low: 10n, high: 20n };

test.each([
  { position: 10n, becomes: { kind: 'within', startOffset: 10n } },
  { position: 20n, becomes: { kind: 'within', startOffset: 20n } },
  { position: 4n, becomes: { kind: 'lost', startOffset: 10n, from: 4n, records: 6n } },
  { position: 21n, becomes: { kind: 'beyond_end', startOffset: 10n, from: 21n, end: 20n } },
  { position: undefined, becomes: { kind: 'no_offset', startOffset: 10n } },
])('at $position of a log from 10 to 20: $becomes.kind', ({ position, becomes }) => {
  expect(vetPosition(position, log)).toEqual(becomes);
});

test('a group without an offset has missed nothing of a log that has its first record', () => {
  expect(vetPosition(undefined, { low: 0n, high: 9n })).toEqual({ kind: 'new', startOffset: 0n });
});

test('no record that the log has and that the group has not read is ever behind the start', () => {
  const bounds = fc
    .tuple(fc.nat(1_000), fc.nat(1_000))
    .map(([low, n]) => ({ low: BigInt(low), high: BigInt(low + n) }));
  fc.assert(
    fc.property(bounds, fc.option(fc.nat(3_000), { nil: undefined }), ({ low, high }, offset) => {
      const position = offset === undefined ? undefined : BigInt(offset);
      const { startOffset } = vetPosition(position, { low, high });
      expect(startOffset).toBeGreaterThanOrEqual(low);
      expect(startOffset).toBeLessThanOrEqual(high);
      if (position !== undefined && position >= low && position <= high) expect(startOffset).toBe(position);
      else expect(startOffset).toBe(low);
    }),
  );
});
