import { readCookie, setCookie } from '../http/cookies.ts';

const name = '__Host-hookline-portal-probe';

/** It comes back if this browser keeps cookies of embedded pages. Without cookies, redeeming a link would waste it. */
export const probeCookie = setCookie(name, '1', { isSecure: true, isEmbedded: true });

export const hasProbe = (header: string | undefined): boolean => readCookie(header, name) === '1';
