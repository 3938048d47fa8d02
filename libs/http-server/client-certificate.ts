import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * SHA-256, in lower-case hex, of the client's certificate; undefined if it has shown none, or one that our authorities have not signed. In
 * a resumed session it is the certificate that the session began with.
 */
export function clientCertificateOf(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? undefined : certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}
