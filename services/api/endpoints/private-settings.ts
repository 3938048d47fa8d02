import { type ChangedEndpoint, proxyUrl } from '#lib/api-contract';
import {
  type EndpointSettings,
  isMaskedProxy,
  isReservedHeader,
  isSensitiveHeader,
  maskProxy,
  proxyText,
  secretMask,
} from '#lib/contract';
import { fieldUnder } from '../http/field-errors.ts';
import type { FieldErrors, Read } from '../http/send-problem.ts';
import { readClientCertificate } from './client-certificate.ts';

type Private = Pick<EndpointSettings, 'headers' | 'proxy' | 'client_certificate'>;

export type GivenPrivate = Pick<ChangedEndpoint, keyof Private>;

/**
 * The settings that have secrets. A value that is sent back as shown, masked or without its key, stays unchanged: a client can read an
 * endpoint, change something, and write it back.
 */
export function readPrivate(
  given: GivenPrivate,
  before: Private,
  nowMs: number,
): { read: Private; errors: FieldErrors } {
  const readings = {
    headers: given.headers && readHeaders(given.headers, before.headers),
    proxy: given.proxy === undefined ? undefined : readProxy(given.proxy, before.proxy),
    client_certificate:
      given.client_certificate && readClientCertificate(given.client_certificate, before.client_certificate, nowMs),
  };
  const taken = Object.entries(readings).flatMap(([name, reading]) =>
    reading !== undefined && 'read' in reading ? [[name, reading.read] as const] : [],
  );
  return {
    read: Object.fromEntries(taken),
    errors: Object.values<Read<unknown> | undefined>(readings).flatMap((reading) =>
      reading !== undefined && 'errors' in reading ? reading.errors : [],
    ),
  };
}

type Headers = Readonly<Record<string, string>>;

const maxNameLength = 128;
/** Names and values; most servers accept 16 or 32 kB, and Hookline adds its own headers. */
const maxLength = 16 * 1024;

/** @param before a header that comes back masked, as it was shown, keeps its value */
function readHeaders(given: Headers, before: Headers = {}): Read<Record<string, string>> {
  const known = byLowerCase(before);
  const seen = new Set<string>();
  const problemOf = (name: string, value: string): string | undefined => {
    const lower = name.toLowerCase();
    const isSecond = seen.has(lower);
    seen.add(lower);
    if (isReservedHeader(name)) return "is Hookline's own";
    if (!tokens.test(name)) return 'is not the name of an HTTP header';
    if (name.length > maxNameLength) return `must not have a name longer than ${maxNameLength} characters`;
    if (isSecond) return 'is given twice: header names are case-insensitive';
    if (!isMasked(name, value)) return undefined;
    return known.has(lower) ? undefined : 'is masked, and no stored value exists: send the value';
  };
  const errors = Object.entries(given).flatMap(([name, value]) => {
    const message = problemOf(name, value);
    return message === undefined ? [] : [{ field: fieldUnder('/headers', name), message }];
  });
  if (errors.length > 0) return { errors };
  const read = Object.entries(given).map(([name, value]) => {
    const kept = isMasked(name, value) ? known.get(name.toLowerCase()) : undefined;
    return [name, kept ?? value] as const;
  });
  const length = read.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length > maxLength)
    return { errors: [{ field: '/headers', message: `must not be longer than ${maxLength} characters in all` }] };
  return { read: Object.fromEntries(read) };
}

/** Merges headers as RFC 7396 says, but by names without case: `null` for `x-key` removes `X-Key`. */
export function mergeHeaders(before: Headers, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const named = new Set(Object.keys(patch).map((name) => name.toLowerCase()));
  return Object.fromEntries([
    ...Object.entries(before).filter(([name]) => !named.has(name.toLowerCase())),
    ...Object.entries(patch).filter(([, value]) => value !== null),
  ]);
}

const tokens = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const byLowerCase = (all: Headers): Map<string, string> =>
  new Map(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]));

const isMasked = (name: string, value: string): boolean => value === secretMask && isSensitiveHeader(name);

/** @param before the stored URL: used if it is sent back exactly as shown. Otherwise its password would go to another host */
function readProxy(given: string, before: string | undefined): Read<string> {
  if (before !== undefined && given === maskProxy(before)) return { read: before };
  const refuse = (message: string): Read<string> => ({ errors: [{ field: '/proxy', message }] });
  const url = URL.parse(given);
  if (url === null || !isBare(url)) return refuse(`must be ${proxyUrl.description}`);
  if (isMaskedProxy(given)) return refuse('has masked credentials: send the real ones');
  if (!hasUsableCredentials(url)) return refuse('has credentials with invalid characters: percent-encode them');
  return { read: proxyText(url) };
}

/** The proxy's URL without credentials. */
export function withoutCredentials(proxy: string): string {
  const url = new URL(proxy);
  url.username = '';
  url.password = '';
  return url.href;
}

const isBare = (url: URL): boolean =>
  ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && !/[?#]/.test(url.href);

/** The limits of Basic authentication (RFC 7617): no colon in the name, no control characters in either. */
function hasUsableCredentials({ username, password }: URL): boolean {
  try {
    return !decodeURIComponent(username).includes(':') && !/\p{Cc}/u.test(decodeURIComponent(username + password));
  } catch {
    return false;
  }
}
