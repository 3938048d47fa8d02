/** Caches for TLS: contexts, which are costly to make, and sessions, which spare a handshake most of its cost. */
import { createSecureContext, type SecureContext } from 'node:tls';
import type { HttpRoute } from './http-exchange.ts';
import type { Target } from './open-socket.ts';
import { routeKey } from './route-key.ts';

export interface TlsMemory {
  /** Throws if a certificate or key can't be read. */
  context(route: HttpRoute | undefined): SecureContext;
  session(target: Target): { protocols: readonly string[]; ticket: Buffer | undefined };
  keepSession(target: Target, ticket: Buffer): void;
}

const maxSessions = 1_000;
/** The server chooses. */
const protocols = ['h2', 'http/1.1'] as const;

/** @param ca certificate authorities in PEM that are trusted instead of the system's */
export function createTlsMemory(ca: string | undefined): TlsMemory {
  const trusted = ca === undefined ? {} : { ca };
  const plain = createSecureContext(trusted);
  // Keyed by the route object, which stays the same for the same route.
  const contexts = new WeakMap<HttpRoute, SecureContext>();
  const tickets = new Map<string, Buffer>();

  return {
    context(route) {
      const certificate = route?.clientCertificate;
      if (route === undefined || certificate === undefined) return plain;
      const context =
        contexts.get(route) ??
        createSecureContext({ ...trusted, cert: certificate.certificate, key: certificate.privateKey });
      contexts.set(route, context);
      return context;
    },
    session: (target) => ({ protocols, ticket: tickets.get(keyOf(target)) }),
    keepSession(target, ticket) {
      const key = keyOf(target);
      tickets.delete(key);
      tickets.set(key, ticket);
      const [oldest] = tickets.keys();
      if (tickets.size > maxSessions && oldest !== undefined) tickets.delete(oldest);
    },
  };
}

/** A session implies the certificate that was shown, so routes never share sessions. */
const keyOf = ({ hostname, port, route }: Target): string => `${routeKey(route)} ${hostname}:${port}`;
