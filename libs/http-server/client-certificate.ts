import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * SHA-256, in lower-case hex, of the certificate by which the other side has shown who it is; undefined where it has shown none, or one
 * that our authorities have not signed. Of a session that is resumed it is the certificate that the session was begun with.
 */
export function clientCertificateOf(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? undefined : certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}
