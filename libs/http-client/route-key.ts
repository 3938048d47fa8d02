import { createHash } from 'node:crypto';
import type { HttpRoute } from './http-exchange.ts';

const keys = new WeakMap<HttpRoute, string>();

/** The same for equal routes, without their secrets. */
export function routeKey(route: HttpRoute | undefined): string {
  if (route === undefined) return '';
  const known = keys.get(route);
  if (known !== undefined) return known;
  const { proxy = '', clientCertificate: { certificate = '', privateKey = '' } = {} } = route;
  const parts = [proxy, certificate, privateKey];
  const key = parts.every((part) => part === '')
    ? ''
    : createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  keys.set(route, key);
  return key;
}
