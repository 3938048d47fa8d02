import fc from 'fast-check';
import { createId, derivedId, timeOfId } from '#lib/runtime';

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

  test('tell their time, as far as it can be written in microseconds; what is no id of ours tells none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.string(), (ms, part) => {
        const told = Number.isSafeInteger(ms * 1000) ? ms : undefined;
        expect(timeOfId(createId('evt', ms))).toBe(told);
        expect(timeOfId(derivedId('dlv', ms, [part]))).toBe(told);
      }),
    );
    for (const text of ['', 'dlv_1', `dlv_${'0'.repeat(25)}`, `dlv_${'u'.repeat(26)}`, `${createId('dlv', 1)}0`])
      expect(timeOfId(text)).toBeUndefined();
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
