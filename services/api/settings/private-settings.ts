import type { EndpointSettings } from '#lib/contract';
import type { FieldErrors, Read } from '../http/send-problem.ts';
import { type GivenCertificate, readClientCertificate } from './client-certificate.ts';
import { readProxy } from './proxy-url.ts';
import { readHeaders } from './request-headers.ts';

type Private = Pick<EndpointSettings, 'headers' | 'proxy' | 'client_certificate'>;
export type GivenPrivate = Omit<Private, 'client_certificate'> & { client_certificate?: GivenCertificate };

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
