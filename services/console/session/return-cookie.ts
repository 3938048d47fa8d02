import { readCookie, setCookie } from '../http/cookies.ts';

const returnNameOf = (isSecure: boolean): string => `${isSecure ? '__Host-' : ''}hookline-portal-return`;

/** Where a customer came from, for the page that says that the session is over: then nobody else can tell. */
export const returnCookie = (returnUrl: string | null, cookie: { isSecure: boolean; isEmbedded: boolean }): string =>
  setCookie(returnNameOf(cookie.isSecure), encodeURIComponent(returnUrl ?? ''), {
    ...cookie,
    ...(returnUrl === null && { maxAgeSeconds: 0 }),
  });

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
