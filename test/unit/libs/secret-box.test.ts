import { randomBytes } from 'node:crypto';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('secrets at rest', () => {
  test('open as they were sealed, whatever the text', () => {
    const box = createSecretBox(parseEncryptionKeys([key('k1')]));
    for (const text of ['', 'whsec_abc', '♥'.repeat(1000)]) expect(box.open(box.seal(text, 'row'), 'row')).toBe(text);
  });

  test('open under an old key after a rotation, and no longer once it is removed', () => {
    const [first, second] = [key('k1'), key('k2')];
    const sealed = createSecretBox(parseEncryptionKeys([first])).seal('hush', 'row');
    expect(createSecretBox(parseEncryptionKeys([second, first])).open(sealed, 'row')).toBe('hush');
    expect(() => createSecretBox(parseEncryptionKeys([second])).open(sealed, 'row')).toThrow(/"k1"/);
  });

  test('tell whether they are under the key that seals now', () => {
    const [first, second] = [key('k1'), key('k10')];
    const sealed = createSecretBox(parseEncryptionKeys([first])).seal('hush', 'row');
    const box = createSecretBox(parseEncryptionKeys([second, first]));
    expect(box.isCurrent(sealed)).toBe(false);
    expect(box.isCurrent(box.seal('hush', 'row'))).toBe(true);
    expect(box.isCurrent(Buffer.alloc(0))).toBe(false);
  });

  test('have keys of different ids: of two with one id, the second would open nothing', () => {
    expect(() => parseEncryptionKeys([key('k1'), key('k2'), key('k1')])).toThrow(/two keys have the id k1/);
  });

  test('do not open in another row, nor when any byte was changed', () => {
    const box = createSecretBox(parseEncryptionKeys([key('k1')]));
    const sealed = box.seal('hush', 'sources/a/1');
    expect(() => box.open(sealed, 'sources/a/2')).toThrow();
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => box.open(changed, 'sources/a/1')).toThrow();
    }
  });

  test.each(['', 'k1', 'k1:', 'k1:c2hvcnQ=', ':' + randomBytes(32).toString('base64')])(
    'the key %j is refused without being printed',
    (text) => {
      expect(() => parseEncryptionKeys([text])).toThrow(/key 1 is not/);
    },
  );
});
