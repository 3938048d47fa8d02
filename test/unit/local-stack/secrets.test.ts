import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readKeyValueFile } from '#deploy/local/key-value-file.ts';
import { provideSecrets } from '#deploy/local/stack/secrets.ts';

describe("the local stack's secrets", () => {
  let dir: string;

  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'hookline-secrets-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('are made once, then kept, and nobody else can read them', () => {
    const file = join(dir, 'secrets.env');
    const made = provideSecrets(file);
    expect(provideSecrets(file)).toEqual(made);
    expect(provideSecrets(join(dir, 'other.env')).adminKey).not.toBe(made.adminKey);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are what the services take', () => {
    const { encryptionKeys, adminKey } = provideSecrets(join(dir, 'secrets.env'));
    const [id, key = ''] = encryptionKeys.split(':');
    expect(id).toBe('k1');
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(adminKey).toMatch(/^[\x21-\x7e]{16,512}$/);
  });

  it('a file of names and values keeps values with = in them', () => {
    const file = join(dir, 'secrets.env');
    const { encryptionKeys } = provideSecrets(file);
    expect(readKeyValueFile(file)?.HOOKLINE_ENCRYPTION_KEYS).toBe(encryptionKeys);
    expect(readKeyValueFile(join(dir, 'none.env'))).toBeUndefined();
  });
});
