import type { Server } from 'node:tls';
import { createTlsRenewal, readTlsFiles, type TlsFiles, type TlsMaterial } from '#lib/net';
import type { Clock, Logger, Part } from '#lib/runtime';
import type { IngressConfig } from './config.ts';

export interface Tls {
  options: TlsMaterial & { requestCert: boolean; rejectUnauthorized: boolean };
  /** Follows the files for a server that was made with the options. */
  renewal(server: unknown, context: { clock: Clock; log: Logger; onInUse(endsAtMs: number): void }): Part;
}

/**
 * Undefined where webhooks come by plain HTTP, from a proxy that ends TLS.
 *
 * @throws AppError config_invalid
 */
export function openTls(config: IngressConfig): Tls | undefined {
  if (config.tlsCertFile === '') return undefined;
  const files: TlsFiles = {
    certFile: config.tlsCertFile,
    keyFile: config.tlsKeyFile,
    clientCaFile: config.tlsClientCaFile === '' ? undefined : config.tlsClientCaFile,
  };
  const initial = readTlsFiles(files);
  return {
    options: {
      ...initial,
      requestCert: config.tlsClientCertificates !== 'none',
      // If certificates are optional, each source that requires one checks it.
      rejectUnauthorized: config.tlsClientCertificates === 'required',
    },
    renewal: (server, context) => createTlsRenewal({ ...context, server: server as Server, files, initial }),
  };
}
