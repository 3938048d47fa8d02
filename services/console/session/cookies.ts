/** The value of the first cookie of this name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

interface CookieOptions {
  /** Over https: the browser then refuses the cookie to everything but this host, over https. */
  isSecure: boolean;
  /** Also within pages of other sites, a cookie of its own for each of these sites. Only over https. */
  isEmbedded?: boolean;
  /** Absent: until the browser is closed. 0 removes it. */
  maxAgeSeconds?: number;
}

/** Never for a script, and never with a request that another site begins, but for links and in what is embedded. */
export const setCookie = (
  name: string,
  value: string,
  { isSecure, isEmbedded = false, maxAgeSeconds }: CookieOptions,
): string =>
  [
    `${name}=${value}`,
    'Path=/',
    'HttpOnly',
    ...(isEmbedded && isSecure ? ['SameSite=None', 'Partitioned'] : ['SameSite=Lax']),
    ...(isSecure ? ['Secure'] : []),
    ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
  ].join('; ');

const name = '__Host-hookline-portal-probe';

/** It comes back if this browser keeps cookies of embedded pages. Without cookies, redeeming a link would waste it. */
export const probeCookie = setCookie(name, '1', { isSecure: true, isEmbedded: true });

export const hasProbe = (header: string | undefined): boolean => readCookie(header, name) === '1';

const returnNameOf = (isSecure: boolean): string => `${isSecure ? '__Host-' : ''}hookline-portal-return`;

/** Where a customer came from, for the page that says that the session is over: then nobody else can tell. */
export function returnCookie(returnUrl: string | null, cookie: Omit<CookieOptions, 'maxAgeSeconds'>): string {
  const maxAgeSeconds = returnUrl === null ? 0 : undefined;
  return setCookie(returnNameOf(cookie.isSecure), encodeURIComponent(returnUrl ?? ''), { ...cookie, maxAgeSeconds });
}

/** An https URL, or nothing: on plain http others may have set the cookie. */
export function returnUrlIn(header: string | undefined, isSecure: boolean): string | null {
  const value = readCookie(header, returnNameOf(isSecure)) ?? '';
  const url = URL.parse(decoded(value));
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Two: whoever tries the portal of a customer stays signed in to the console. */
const names = { console: 'hookline', portal: 'hookline-portal' } as const;

interface Cookie extends Omit<CookieOptions, 'maxAgeSeconds'> {
  /** One that people sign in to: the operator's to the console, customers to the portal. */
  face: keyof typeof names;
}

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
