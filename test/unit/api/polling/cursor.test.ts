import fc from 'fast-check';
import { parseEncryptionKeys } from '#lib/secret-box';
import { createCursors } from '../../../../services/api/events/polling/cursor.ts';

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const cursorsOf = (...keys: string[]) => createCursors(parseEncryptionKeys(keys));
const cursors = cursorsOf(key('a', 1));
const micros = fc.maxSafeNat();

test('a cursor gives back its microsecond, to its tenant alone', () => {
  fc.assert(
    fc.property(micros, fc.string(), fc.string(), (from, tenant, other) => {
      const cursor = cursors.write(tenant, from);
      expect(cursors.read(tenant, cursor)).toBe(from);
      if (other !== tenant) expect(cursors.read(other, cursor)).toBeUndefined();
    }),
  );
});

test('a cursor with any character changed, left out or added is none', () => {
  fc.assert(
    fc.property(micros, fc.nat(31), fc.constantFrom(...'AZaz09-_+/=. \n'), (from, at, character) => {
      const cursor = cursors.write('acme', from);
      const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)];
      if (cursor[at] !== character) expect(cursors.read('acme', before + character + after)).toBeUndefined();
      expect(cursors.read('acme', before + after)).toBeUndefined();
      expect(cursors.read('acme', before + character + cursor.slice(at))).toBeUndefined();
    }),
  );
  expect(cursors.read('acme', '')).toBeUndefined();
});

test('a cursor holds as long as the key that it was made under is listed', () => {
  const cursor = cursors.write('acme', 1);
  expect(cursorsOf(key('b', 2), key('a', 1)).read('acme', cursor)).toBe(1);
  expect(cursorsOf(key('b', 2)).read('acme', cursor)).toBeUndefined();
});

test('the same position has the same cursor, so that answers can be compared', () => {
  expect(cursors.write('acme', 7)).toBe(cursors.write('acme', 7));
});
