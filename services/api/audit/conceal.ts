/**
 * Rules for what an audit entry may show of a resource. Entries are kept for 400 days and outlive what they tell of, so they are stricter
 * than the API's answers:
 *
 * | value                                                        | in an entry                       |
 * |--------------------------------------------------------------|-----------------------------------|
 * | secrets, keys, tokens, codes, passwords, certificates        | `***`                             |
 * | sensitive headers                                            | `***`                             |
 * | filters, tags, payloads, examples; URL queries; long values   | `hmac:<key id>:<digest>`          |
 * | everything else                                              | as it is                          |
 *
 * A digest shows that a value changed, or is the same as in another entry of the tenant. It is an HMAC under the first encryption key, so
 * that nobody finds a short value by trying.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { maskHeaders, secretMask } from '#lib/contract';
import { AppError } from '#lib/errors';
import type { EncryptionKey } from '#lib/secret-box';

export type Conceal = (tenant: string, value: unknown) => unknown;

/** Names of fields that hold secrets; `key_id` and `secret_set` do not. */
const secretNames =
  /(?:^|_)(?:secrets?|token|password|code|private_key)$|^(?:key|hash|certificate|authorization|cookie)$/i;
const digestedNames = new Set(['filter', 'tag', 'tags', 'payload', 'example', 'body']);
const urlNames = /(?:^|_)url$|^proxy$/i;

/** Longer texts are digested, so that an entry stays small. */
const maxBytes = 2_048;
/** 128 bits of the HMAC. */
const digestBytes = 16;

export function createConceal([active]: readonly EncryptionKey[]): Conceal {
  if (active === undefined) throw new AppError('config_invalid', 'HOOKLINE_ENCRYPTION_KEYS names no key');
  const key = Buffer.from(hkdfSync('sha256', active.key, '', 'hookline audit', 32));
  return (tenant, value) => {
    const digest = (text: string): string => {
      const hmac = createHmac('sha256', key)
        .update(`${Buffer.byteLength(tenant)}:${tenant}`)
        .update(text)
        .digest();
      return `hmac:${active.id}:${hmac.subarray(0, digestBytes).toString('base64url')}`;
    };
    return concealField('', value, digest);
  };
}

type Digest = (text: string) => string;

function concealField(name: string, value: unknown, digest: Digest): unknown {
  if (value === null || value === undefined) return value;
  if (secretNames.test(name) && typeof value !== 'boolean') return secretMask;
  if (digestedNames.has(name)) return digest(JSON.stringify(value));
  if (typeof value === 'string') return concealText(name, value, digest);
  if (typeof value !== 'object') return value;
  const shown = Array.isArray(value)
    ? value.map((item: unknown) => concealField(name, item, digest))
    : concealObject(name, value as Record<string, unknown>, digest);
  // The whole is not measured at the top, where each field has been.
  return name !== '' && Buffer.byteLength(JSON.stringify(shown)) > maxBytes ? digest(JSON.stringify(value)) : shown;
}

function concealObject(name: string, value: Record<string, unknown>, digest: Digest): Record<string, unknown> {
  const fields = name === 'headers' ? maskHeaders(value as Record<string, string>) : value;
  return Object.fromEntries(Object.entries(fields).map(([field, one]) => [field, concealField(field, one, digest)]));
}

function concealText(name: string, text: string, digest: Digest): string {
  if (text.includes('-----BEGIN')) return secretMask;
  if (urlNames.test(name)) return concealUrl(text, digest);
  return Buffer.byteLength(text) > maxBytes ? digest(text) : text;
}

/** The URL with its query digested, and without credentials and fragment. */
function concealUrl(text: string, digest: Digest): string {
  const url = URL.parse(text);
  if (url === null) return digest(text);
  const { search, username, password } = url;
  if (username !== '' || password !== '') {
    url.username = secretMask;
    url.password = '';
  }
  url.search = '';
  url.hash = '';
  const shown = url.href;
  if (Buffer.byteLength(shown) > maxBytes) return digest(text);
  return search === '' ? shown : `${shown}?${digest(search)}`;
}
