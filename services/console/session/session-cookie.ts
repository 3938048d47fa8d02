import { readCookie, setCookie } from '../http/cookies.ts';

/** The faces that people sign in to: the operator's to the console, customers to the portal. */
type SignedInFace = 'console' | 'portal';

interface Cookie {
  face: SignedInFace;
  isSecure: boolean;
  isEmbedded?: boolean;
}

/** Two: whoever tries the portal of a customer stays signed in to the console. */
const names: Readonly<Record<SignedInFace, string>> = { console: 'hookline', portal: 'hookline-portal' };

/** `__Host-`: no other host, not even a subdomain, can set it. Browsers refuse that name over plain http. */
const sessionNameOf = ({ face, isSecure }: Cookie): string => `${isSecure ? '__Host-' : ''}${names[face]}`;

/** A token of the API, and nothing else. */
const token = /^hs_[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,500}$/;

export function tokenIn(header: string | undefined, cookie: Cookie): string | undefined {
  const value = readCookie(header, sessionNameOf(cookie));
  return value !== undefined && token.test(value) ? value : undefined;
}

/** Until the browser is closed; the token itself ends earlier. */
export const sessionCookie = (value: string, cookie: Cookie): string => setCookie(sessionNameOf(cookie), value, cookie);

export const noSessionCookie = (cookie: Cookie): string =>
  setCookie(sessionNameOf(cookie), '', { ...cookie, maxAgeSeconds: 0 });
