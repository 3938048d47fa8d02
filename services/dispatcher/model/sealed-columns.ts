import type { KeyObject } from 'node:crypto';
import { microsOf } from '#lib/clock';
import {
  type EndpointSettings,
  joinSettings,
  privateContext,
  type PrivateSettings,
  secretsContext,
  type StoredEndpointSettings,
  type StoredSecret,
} from '#lib/contract';
import { AppError } from '#lib/errors';
import type { SecretBox } from '#lib/secret-box';
import { readPrivateKey } from '#lib/signatures';
import type { Endpoint, EndpointRow } from './endpoint.ts';

interface Opening {
  secretBox: SecretBox;
  onUnreadable(error: AppError): void;
}

/** With the secrets among them; undefined where what is sealed of them can't be read. */
export function openSettings(row: EndpointRow, { secretBox, onUnreadable }: Opening): EndpointSettings | undefined {
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

/** What of them an endpoint needs to which nothing is sent. */
export const withoutPrivate = (stored: StoredEndpointSettings): EndpointSettings => ({
  ...stored,
  headers: {},
  proxy: undefined,
  client_certificate: undefined,
});

/** None where they can't be read. */
export function openSecrets(row: EndpointRow, { secretBox, onUnreadable }: Opening): Endpoint['secrets'] {
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

/** Without the parser's own error, which quotes what it was given. */
function parse<T>(opened: string): T {
  try {
    return JSON.parse(opened) as T;
  } catch {
    throw new AppError('data_invalid', 'what was sealed is not JSON');
  }
}

/** Once, for it takes longer than to sign with it. */
function privateKeyOf(text: string): KeyObject {
  const key = readPrivateKey(text);
  if (key === undefined) throw new AppError('data_invalid', 'one of its private keys is none');
  return key;
}
