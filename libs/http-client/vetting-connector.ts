/**
 * Opens connections to vetted addresses only. undici's `connect.lookup` is not enough: it is never asked about an IP literal. So the
 * literal is judged here, on every connect, and a name by every address that it resolves to: one that is refused refuses the name, since a
 * name that mixes them is an attempt to get through. The socket gets the judged addresses themselves and does not resolve again, so
 * that a second answer (DNS rebinding) is never asked for.
 *
 * Connections that are kept alive are not judged again: they lead where they led when they were.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { Networks } from '#lib/networks';
import { vetAddress } from './address-vetting.ts';
import { literalAddress } from './vet-url.ts';

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type ConnectFailureKind = 'blocked' | 'connect' | 'tls';

/** Why there is no connection. */
export class ConnectFailure extends Error {
  readonly kind: ConnectFailureKind;

  constructor(kind: ConnectFailureKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ConnectFailure';
    this.kind = kind;
  }
}

interface Options {
  allowedNetworks: Networks;
  resolve: Resolve;
  /** For each of the two: the connection, and the TLS handshake on it. */
  timeoutMs: number;
  /** Certificate authorities in PEM that are trusted instead of the system's. */
  ca?: string;
}

export const resolveBySystem: Resolve = async (hostname) =>
  (await systemLookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);

export function createVettingConnector(options: Options): buildConnector.connector {
  const { allowedNetworks, timeoutMs } = options;
  const resolve = joined(options.resolve);

  const lookup: LookupFunction = (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) return callback(new Error(`${hostname} has no address`), '');
        const bad = addresses.map((address) => vetAddress(address, allowedNetworks)).find(({ allowed }) => !allowed);
        // Not which address: the reason is shown to whoever named the host, and would draw them a map of our DNS.
        if (bad?.allowed === false)
          return callback(new ConnectFailure('blocked', `a name that leads to ${bad.reason}`), '');
        if (all === true)
          return callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        callback(null, first, isIP(first));
      },
      (error: Error) => callback(error, ''),
    );
  };
  const connectPlain = buildConnector({ allowH2: false, timeout: timeoutMs, lookup });
  const connectTls = buildConnector({
    allowH2: false,
    timeout: timeoutMs,
    rejectUnauthorized: true,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });

  return (target, callback) => {
    const literal = literalAddress(target.hostname);
    const verdict = literal === undefined ? undefined : vetAddress(literal, allowedNetworks);
    if (verdict?.allowed === false) {
      // Not within this call: undici expects its connector to answer later.
      queueMicrotask(() => callback(new ConnectFailure('blocked', `leads to ${verdict.reason}`), null));
      return;
    }
    const isTls = target.protocol === 'https:';
    const hostname = literal ?? target.hostname;
    const port = target.port || (isTls ? '443' : '80');
    connectPlain({ hostname, port, protocol: 'http:' }, (error, socket) => {
      if (error !== null) return callback(asFailure('connect', error), null);
      if (!isTls) return callback(null, socket);
      connectTls({ ...target, port, httpSocket: socket }, (tlsError, tlsSocket) => {
        if (tlsError !== null) return callback(asFailure('tls', tlsError), null);
        callback(null, tlsSocket);
      });
    });
  };
}

function asFailure(kind: ConnectFailureKind, error: Error): ConnectFailure {
  if (error instanceof ConnectFailure) return error;
  // With several addresses, the reasons are within.
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return new ConnectFailure(kind, error.message || first?.message || error.name, { cause: error });
}

/** One question at a time for each name: getaddrinfo holds one of few threads, and a slow name must not take them all. */
function joined(resolve: Resolve): Resolve {
  const asked = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const answer = asked.get(hostname) ?? resolve(hostname).finally(() => asked.delete(hostname));
    asked.set(hostname, answer);
    return answer;
  };
}
