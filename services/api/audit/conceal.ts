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
import { AppError } from '#lib/runtime';
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
    return concealField('', value, digest).shown;
  };
}

type Digest = (text: string) => string;

/** A part of the value, looked at once: those around it need its length, and what its digest stands for. */
interface Concealed {
  shown: unknown;
  /** Length of the JSON text of `shown`. */
  bytes: number;
  /** The JSON text that changes with the value: where a part of it is long, the digest stands for it. Undefined: JSON has no such value. */
  text: string | undefined;
}

function concealField(name: string, value: unknown, digest: Digest): Concealed {
  if (value === null || value === undefined) return asItIs(value);
  if (secretNames.test(name) && typeof value !== 'boolean') return instead(secretMask, value);
  if (digestedNames.has(name)) return instead(digest(JSON.stringify(value)), value);
  if (typeof value === 'string') {
    const shown = concealText(name, value, digest);
    return shown === value ? asItIs(value) : instead(shown, value);
  }
  if (typeof value !== 'object') return asItIs(value);
  const whole = Array.isArray(value)
    ? concealList(name, value, digest)
    : concealObject(name, value as Record<string, unknown>, digest);
  // The whole is not measured at the top, where each field has been.
  if (name === '' || whole.bytes <= maxBytes) return whole;
  const shown = digest(whole.text ?? '');
  return { shown, bytes: shown.length + 2, text: JSON.stringify(shown) };
}

function asItIs(value: unknown): Concealed {
  const text = JSON.stringify(value) as string | undefined;
  return { shown: value, bytes: Buffer.byteLength(text ?? ''), text };
}

const instead = (shown: string, value: unknown): Concealed => ({ ...asItIs(shown), text: JSON.stringify(value) });

function concealList(name: string, values: readonly unknown[], digest: Digest): Concealed {
  const items = values.map((item) => concealField(name, item, digest));
  return {
    shown: items.map(({ shown }) => shown),
    bytes: bytesAround(items.map(({ bytes }) => bytes)),
    text: `[${items.map(({ text }) => text ?? 'null').join()}]`,
  };
}

function concealObject(name: string, value: Record<string, unknown>, digest: Digest): Concealed {
  const masked = name === 'headers' ? maskHeaders(value as Record<string, string>) : value;
  const parts = Object.entries(value).map(([field, one]) => {
    const part = masked[field] === one ? concealField(field, one, digest) : instead(String(masked[field]), one);
    return { field, label: `${JSON.stringify(field)}:`, part };
  });
  const written = parts.filter(({ part }) => part.text !== undefined);
  return {
    shown: Object.fromEntries(parts.map(({ field, part }) => [field, part.shown])),
    bytes: bytesAround(written.map(({ label, part }) => Buffer.byteLength(label) + part.bytes)),
    text: `{${written.map(({ label, part }) => label + (part.text ?? '')).join()}}`,
  };
}

/** With the brackets, and a comma between each two. */
const bytesAround = (parts: readonly number[]): number =>
  Math.max(
    2,
    parts.reduce((sum, bytes) => sum + bytes + 1, 1),
  );

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
