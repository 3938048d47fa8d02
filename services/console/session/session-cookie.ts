import { readCookie, setCookie } from '../http/cookies.ts';

/** `__Host-`: no other host, not even a subdomain, can set it. Browsers refuse that name over plain http. */
const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-hookline' : 'hookline');

/** A token of the API, and nothing else. */
const token = /^hs_[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,500}$/;

export function tokenIn(header: string | undefined, isSecure: boolean): string | undefined {
  const value = readCookie(header, nameOf(isSecure));
  return value !== undefined && token.test(value) ? value : undefined;
}

/** Until the browser is closed; the token itself ends earlier. */
export const sessionCookie = (value: string, isSecure: boolean): string =>
  setCookie(nameOf(isSecure), value, { isSecure });

export const noSessionCookie = (isSecure: boolean): string =>
  setCookie(nameOf(isSecure), '', { isSecure, maxAgeSeconds: 0 });
