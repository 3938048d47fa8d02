import { isMaskedProxy, maskProxy, proxyText } from '#lib/contract';
import type { Read } from '../http/send-problem.ts';

export const proxy = {
  type: 'string',
  maxLength: 2_048,
  pattern: '^[!-~]+$',
  description: 'an http or https URL without path, query or fragment',
} as const;

/** @param before the stored URL: used if it is sent back exactly as shown. Otherwise its password would go to another host */
export function readProxy(given: string, before: string | undefined): Read<string> {
  if (before !== undefined && given === maskProxy(before)) return { read: before };
  const refuse = (message: string): Read<string> => ({ errors: [{ field: '/proxy', message }] });
  const url = URL.parse(given);
  if (url === null || !isBare(url)) return refuse(`must be ${proxy.description}`);
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
