import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureVersion, TLSSocket } from 'node:tls';
import { AppError } from '#lib/runtime';

/** Names of PEM files. */
export interface TlsFiles {
  /** The server's certificate and the intermediates. */
  certFile: string;
  keyFile: string;
  /** The authorities of clients' certificates. */
  clientCaFile?: string | undefined;
}

/** Certificate and key for a server; `setSecureContext` replaces them. */
export interface TlsMaterial {
  cert: string;
  key: string;
  ca?: string;
  minVersion: SecureVersion;
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** @throws AppError config_invalid with all problems of the files; never with their content */
export function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsFiles): TlsMaterial {
  const problems: string[] = [];
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      problems.push(`${file} can’t be read: ${(error as Error).message}`);
      return '';
    }
  };
  const material: TlsMaterial = { cert: read(certFile), key: read(keyFile), minVersion: 'TLSv1.2' };
  if (clientCaFile !== undefined) material.ca = read(clientCaFile);
  if (problems.length === 0) problems.push(...faultsOf(material, { certFile, keyFile, clientCaFile }));
  if (problems.length > 0) throw new AppError('config_invalid', problems.join('\n'));
  return material;
}

/** In milliseconds since the epoch; of the server's own certificate, not of the intermediates. */
export const certificateEndsAtMs = ({ cert }: TlsMaterial): number => new X509Certificate(cert).validToDate.getTime();

function faultsOf({ ca, ...own }: TlsMaterial, files: TlsFiles): string[] {
  const faults: string[] = [];
  try {
    createSecureContext(own);
  } catch (error) {
    faults.push(`${files.certFile} and ${files.keyFile} cannot be used for TLS: ${(error as Error).message}`);
  }
  // OpenSSL accepts a file without certificates as an empty list of CAs.
  if (ca !== undefined && !hasCertificates(ca))
    faults.push(`${files.clientCaFile} has no certificates that can be read`);
  return faults;
}

function hasCertificates(pem: string): boolean {
  const found = pem.match(certificate) ?? [];
  try {
    return found.map((text) => new X509Certificate(text)).length > 0;
  } catch {
    return false;
  }
}

/**
 * SHA-256, in lower-case hex, of the client's certificate; undefined if it has shown none, or one that our authorities have not signed. In
 * a resumed session it is the certificate that the session began with.
 */
export function clientCertificateOf(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? undefined : certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}
