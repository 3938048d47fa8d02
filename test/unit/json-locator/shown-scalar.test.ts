import fc from 'fast-check';
import { shownScalar } from '#lib/payload';

const shown = (text: string): string => shownScalar({ kind: 'text', text });

test('a scalar that can be shown is shown as it is', () => {
  const longest = 'é'.repeat(127);
  expect([shown('pi_1'), shown(longest), shownScalar({ kind: 'number', source: '1.50' })]).toEqual([
    'pi_1',
    longest,
    '1.50',
  ]);
});

test('texts that can’t be shown stay apart, lone surrogates and the replacement character among them', () => {
  const alike = ['\ud800', '\ud801', '\udc00', '\ufffd', 'a\ud800', 'a\ufffd', 'a\0', 'a\n', 'x'.repeat(256)];
  expect(new Set(alike.map(shown)).size).toBe(alike.length);
});

test('whatever the text is, what is shown is printable, well-formed and short', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const result = shown(text);
      expect(result.isWellFormed()).toBe(true);
      expect(result).not.toMatch(/\p{Cc}/u);
      expect(Buffer.byteLength(result)).toBeLessThanOrEqual(255);
    }),
  );
});
