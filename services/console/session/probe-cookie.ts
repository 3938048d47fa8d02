import { readCookie, setCookie } from '../http/cookies.ts';

const name = '__Host-hookline-portal-probe';

/** Whether it comes back tells if this browser keeps cookies of what is embedded: without them a link would be used up for nothing. */
export const probeCookie = setCookie(name, '1', { isSecure: true, isEmbedded: true });

export const hasProbe = (header: string | undefined): boolean => readCookie(header, name) === '1';
