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
