import fc from 'fast-check';
import { parseIdempotencyKey, readIdempotencyKey } from '#lib/idempotency';

/** As Node has a header: one character a byte. */
const asHeader = (text: string): string => Buffer.from(text).toString('latin1');

describe('an idempotency key', () => {
  // Cases of idemlease's key_test.go (MIT) and of draft-ietf-httpapi-idempotency-key-header.
  test.each([
    ['123e4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'],
    ['"abc"', 'abc'],
    ['注文-123', '注文-123'],
    ['"a\\"b"', 'a"b'],
    ['a"b', 'a"b'],
    ['a'.repeat(255), 'a'.repeat(255)],
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['"clkyoesmbgybucifusbbtdsbohtyuuwz"', 'clkyoesmbgybucifusbbtdsbohtyuuwz'],
    [' abc\t', 'abc'],
    ['a b, c', 'a b, c'],
    ['"a\\\\b"', 'a\\b'],
  ])('%j is the key %j', (given, key) => {
    expect(parseIdempotencyKey(asHeader(given))).toBe(asHeader(key));
  });

  test.each([
    ...['', ' \t ', 'ab\u001fc', 'a\u0000b', 'a\u007fb', '"a\\nb"', '"abc"x', '"abc";x=1', '""', '"', '"abc', '"a"b"'],
    ...['a'.repeat(256), `"${'a'.repeat(256)}"`, '注'.repeat(86)],
  ])('%j is none', (given) => {
    expect(parseIdempotencyKey(asHeader(given))).toBeUndefined();
  });

  test('is the same raw and quoted, whatever its characters', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 255 }).filter((text) => text.trim() === text && !text.startsWith('"')),
        (key) => {
          const quoted = `"${key.replace(/[\\"]/g, '\\$&')}"`;
          expect(parseIdempotencyKey(quoted)).toBe(parseIdempotencyKey(key));
        },
      ),
    );
  });

  test('may be under both headers’ names and there twice, if it is one', () => {
    expect(readIdempotencyKey(['Accept', '*/*'])).toBeUndefined();
    expect(readIdempotencyKey(['Idempotency-Key', 'k', 'X-IDEMPOTENCY-KEY', '"k"', 'idempotency-key', 'k'])).toEqual({
      key: 'k',
    });
    expect(readIdempotencyKey(['Idempotency-Key', 'k1', 'Idempotency-Key', 'k2'])).toHaveProperty('problem');
    expect(readIdempotencyKey(['Idempotency-Key', 'k1', 'X-Idempotency-Key', 'k2'])).toHaveProperty('problem');
    expect(readIdempotencyKey(['Idempotency-Key', 'k1', 'X-Idempotency-Key', ''])).toHaveProperty('problem');
  });

  test('is looked for among names, not among values', () => {
    expect(readIdempotencyKey(['X-Header', 'idempotency-key', 'other', 'k'])).toBeUndefined();
  });
});
