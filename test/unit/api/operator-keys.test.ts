import { loadConfig } from '../../../services/api/config.ts';
import { createOperatorKeys } from '../../../services/api/keys/operator-keys.ts';

const encryption = (byte: number, id = `k${byte}`) => ({ id, key: Buffer.alloc(32, byte) });
const [old, young] = ['the-old-admin-key', 'the-new-admin-key'];

test('each key that is set is found by its whole text, with its setting', () => {
  const keys = createOperatorKeys({ adminKey: old, adminKeys: [young] }, [encryption(1)]);
  expect(keys.find(old)?.setting).toBe('HOOKLINE_ADMIN_KEY');
  expect(keys.find(young)?.setting).toBe('HOOKLINE_ADMIN_KEYS');
  for (const text of ['', old.slice(1), `${old} `, `${old},${young}`]) expect(keys.find(text)).toBeUndefined();
});

test('a fingerprint tells a key, is not made without an encryption key, and outlives a rotation of these', () => {
  const before = createOperatorKeys({ adminKey: old, adminKeys: [] }, [encryption(1)]);
  const rotated = createOperatorKeys({ adminKey: young, adminKeys: [old] }, [encryption(2), encryption(1)]);
  const fingerprint = before.find(old)?.fingerprint ?? '';
  expect(rotated.fingerprints).toContain(fingerprint);
  expect(rotated.find(old)?.fingerprint).not.toBe(fingerprint);
  expect(createOperatorKeys({ adminKey: young, adminKeys: [] }, [encryption(1)]).fingerprints).not.toContain(
    fingerprint,
  );
  expect(createOperatorKeys({ adminKey: old, adminKeys: [] }, [encryption(3)]).fingerprints).not.toContain(fingerprint);
});

describe('the setting HOOKLINE_ADMIN_KEYS', () => {
  const env = {
    HOOKLINE_ADMIN_KEY: old,
    HOOKLINE_DATABASE_URL: 'postgres://localhost/x',
    HOOKLINE_SCHEMA_REGISTRY_URL: 'http://localhost',
    HOOKLINE_ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
  };
  const keysOf = (text?: string) =>
    loadConfig(text === undefined ? env : { ...env, HOOKLINE_ADMIN_KEYS: text }).adminKeys;

  test('lists more keys, or none', () => {
    expect([keysOf(), keysOf(''), keysOf(young), keysOf(`${young}, another-admin-key`)]).toEqual([
      ...[[], [], [young], [young, 'another-admin-key']],
    ]);
  });

  test.each(['too-short', `${young},too-short`, `${young} x`])('%s is refused at the start, and not shown', (text) => {
    expect(() => keysOf(text)).toThrow(/^HOOKLINE_ADMIN_KEYS must/);
    expect(() => keysOf(text)).not.toThrow(text);
  });
});
