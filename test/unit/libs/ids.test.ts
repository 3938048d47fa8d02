import fc from 'fast-check';
import { createId, derivedId } from '#lib/ids';

describe('ids', () => {
  test('have a prefix and 26 characters, and sort by their time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 2 }), (ms) => {
        const earlier = createId('evt', ms);
        const later = createId('evt', ms + 1);
        expect(earlier).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{26}$/);
        expect(earlier < later).toBe(true);
      }),
    );
  });

  test('differ for every record of one millisecond', () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => createId('rcp', 1)));
    expect(ids.size).toBe(10_000);
  });

  test('derived ones are the same for the same parts, and others for any other parts', () => {
    const parts = fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const same = a.length === b.length && a.every((part, index) => part === b[index]);
        expect(derivedId('evt', 5, a) === derivedId('evt', 5, b)).toBe(same);
      }),
    );
  });
});
