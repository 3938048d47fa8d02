/**
 * The secret part of an endpoint's settings. The column `settings` has a mask in its place and may be shown to anyone who may see the
 * endpoint; the column `private` has the secret itself, sealed (libs/secret-box) for the context that `privateContext` gives. Null if the
 * endpoint has no such secret.
 */
import { AppError } from '#lib/runtime';
import { isSensitiveHeader } from './endpoint-headers.ts';
import type { EndpointCertificate, EndpointSettings } from './settings.ts';

/** In the place of a secret. */
export const secretMask = '***';

/** As the column `settings` has them: without a secret. */
export interface StoredEndpointSettings extends Omit<EndpointSettings, 'client_certificate'> {
  client_certificate?: Pick<EndpointCertificate, 'certificate'>;
}

export interface PrivateSettings {
  /** Masked headers, by their names as the user wrote them. */
  headers?: Record<string, string>;
  /** The whole URL, where there are credentials in it. */
  proxy?: string;
  client_key?: string;
}

/** Another than that of the row's `secrets`: neither column opens in the place of the other. */
export const privateContext = (tenant: string, id: string): string => `endpoints/${tenant}/${id}/private`;

export function splitSettings(whole: EndpointSettings): {
  settings: StoredEndpointSettings;
  private: PrivateSettings | null;
} {
  const { headers, proxy, client_certificate: clientCertificate, ...rest } = whole;
  const sensitive = Object.entries(headers ?? {}).filter(([name]) => isSensitiveHeader(name));
  const shownProxy = proxy === undefined ? undefined : maskProxy(proxy);
  const hidden: PrivateSettings = {
    ...(sensitive.length > 0 && { headers: Object.fromEntries(sensitive) }),
    ...(proxy !== undefined && proxy !== shownProxy && { proxy }),
    ...(clientCertificate !== undefined && { client_key: clientCertificate.private_key }),
  };
  return {
    settings: {
      ...rest,
      ...(headers !== undefined && { headers: maskHeaders(headers) }),
      ...(shownProxy !== undefined && { proxy: shownProxy }),
      ...(clientCertificate !== undefined && { client_certificate: { certificate: clientCertificate.certificate } }),
    },
    private: Object.keys(hidden).length === 0 ? null : hidden,
  };
}

/** @throws AppError data_invalid where a secret is missing: a mask that was sent in its place would be taken for one. */
export function joinSettings(stored: StoredEndpointSettings, hidden: PrivateSettings | null): EndpointSettings {
  const { headers, proxy, client_certificate: clientCertificate, ...rest } = stored;
  return {
    ...rest,
    ...(headers !== undefined && { headers: joinHeaders(headers, hidden?.headers ?? {}) }),
    ...(proxy !== undefined && { proxy: joinProxy(proxy, hidden?.proxy) }),
    ...(clientCertificate !== undefined && {
      client_certificate: {
        certificate: clientCertificate.certificate,
        private_key: hidden?.client_key ?? missing('the key of the client certificate'),
      },
    }),
  };
}

/** For whoever shows them. */
export const maskHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSensitiveHeader(name) ? secretMask : value]),
  );

/** Not by the rule of the day: a header that was masked when it was set has its value there, whatever counts as sensitive since. */
function joinHeaders(
  shown: Readonly<Record<string, string>>,
  hidden: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = new Map(Object.entries(hidden));
  const valueOf = (name: string, value: string): string =>
    known.get(name) ?? (value === secretMask && isSensitiveHeader(name) ? missing(`the header ${name}`) : value);
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, valueOf(name, value)]));
}

const joinProxy = (shown: string, hidden: string | undefined): string =>
  hidden ?? (isMaskedProxy(shown) ? missing('the credentials of the proxy') : shown);

/** Without a password it is the name that is one: some proxies are given a key that way. */
export function maskProxy(proxy: string): string {
  const url = URL.parse(proxy);
  // No URL of a proxy: then anything in it may be a secret.
  if (url === null || url.host === '') return secretMask;
  if (url.password !== '') url.password = secretMask;
  else if (url.username !== '') url.username = secretMask;
  return proxyText(url);
}

export function isMaskedProxy(proxy: string): boolean {
  const url = URL.parse(proxy);
  return url === null ? proxy === secretMask : (url.password || url.username) === secretMask;
}

/** The one way to write a proxy, which has no path. */
export const proxyText = ({ href }: URL): string => href.replace(/\/$/, '');

function missing(what: string): never {
  throw new AppError('data_invalid', `${what} is masked, and is not among the sealed settings`);
}
