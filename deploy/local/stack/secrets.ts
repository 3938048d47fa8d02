import { randomBytes } from 'node:crypto';
import { readKeyValueFile, writeKeyValueFile } from '../key-value-file.ts';

export interface StackSecrets {
  encryptionKeys: string;
  adminKey: string;
  postgresPassword: string;
}

/** The stack's own secrets, made once and kept as long as its data: what is encrypted with them could not be read with others. */
export function provideSecrets(file: string): StackSecrets {
  const kept = readKeyValueFile(file) ?? {};
  const secrets = {
    HOOKLINE_ENCRYPTION_KEYS: kept.HOOKLINE_ENCRYPTION_KEYS ?? `k1:${randomBytes(32).toString('base64')}`,
    HOOKLINE_ADMIN_KEY: kept.HOOKLINE_ADMIN_KEY ?? `hka_${randomBytes(24).toString('base64url')}`,
    HOOKLINE_POSTGRES_PASSWORD: kept.HOOKLINE_POSTGRES_PASSWORD ?? randomBytes(16).toString('hex'),
  };
  writeKeyValueFile(file, secrets);
  return {
    encryptionKeys: secrets.HOOKLINE_ENCRYPTION_KEYS,
    adminKey: secrets.HOOKLINE_ADMIN_KEY,
    postgresPassword: secrets.HOOKLINE_POSTGRES_PASSWORD,
  };
}
