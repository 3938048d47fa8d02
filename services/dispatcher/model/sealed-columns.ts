import type { KeyObject } from 'node:crypto';
import {
  type EndpointSettings,
  joinSettings,
  privateContext,
  type PrivateSettings,
  secretsContext,
  type StoredEndpointSettings,
  type StoredSecret,
} from '#lib/contract';
import { AppError, microsOf } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import { readPrivateKey } from '#lib/signatures';

/** Encrypted columns of `endpoints`, with the columns that they are joined to or bound to. */
export interface SealedColumns {
  tenant: string;
  id: string;
  settings: StoredEndpointSettings;
  private: Buffer | null;
  secrets: Buffer;
}

/** Has a private key if deliveries carry an Ed25519 signature. */
export interface EndpointSecret {
  secret: string;
  privateKey: KeyObject | null;
  expiresAt: number | null;
}

interface Opening {
  secretBox: SecretBox;
  onUnreadable(error: AppError): void;
}

/** All settings, private ones included; undefined if those can't be decrypted. */
export function openSettings(row: SealedColumns, { secretBox, onUnreadable }: Opening): EndpointSettings | undefined {
  try {
    const hidden = row.private && secretBox.open(row.private, privateContext(row.tenant, row.id));
    return joinSettings(row.settings, hidden === null ? null : parse<PrivateSettings>(hidden));
  } catch (error) {
    onUnreadable(
      new AppError('data_invalid', `the private settings of endpoint ${row.id} can’t be read`, { cause: error }),
    );
    return undefined;
  }
}

/** Settings without private fields, for endpoints that nothing is sent to. */
export const withoutPrivate = (stored: StoredEndpointSettings): EndpointSettings => ({
  ...stored,
  headers: {},
  proxy: undefined,
  client_certificate: undefined,
});

/** Empty if they can't be decrypted. */
export function openSecrets(row: SealedColumns, { secretBox, onUnreadable }: Opening): EndpointSecret[] {
  try {
    const stored = parse<StoredSecret[]>(secretBox.open(row.secrets, secretsContext('endpoints', row.tenant, row.id)));
    return stored.map(({ secret, private_key, expires_at }) => ({
      secret,
      privateKey: private_key === undefined ? null : privateKeyOf(private_key),
      expiresAt: expires_at === undefined ? null : microsOf(expires_at),
    }));
  } catch (error) {
    onUnreadable(new AppError('data_invalid', `the secrets of endpoint ${row.id} can’t be read`, { cause: error }));
    return [];
  }
}

/** Hides the parser's own error, which quotes its input. */
function parse<T>(opened: string): T {
  try {
    return JSON.parse(opened) as T;
  } catch {
    throw new AppError('data_invalid', 'the decrypted column is not JSON');
  }
}

/** Parsed once: parsing takes longer than signing. */
function privateKeyOf(text: string): KeyObject {
  const key = readPrivateKey(text);
  if (key === undefined) throw new AppError('data_invalid', 'invalid private key');
  return key;
}
