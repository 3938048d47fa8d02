/**
 * Sends one HTTP request to an untrusted server. Everything the server could delay or inflate is limited: connecting, the head, the body. A
 * redirect is a response and never followed.
 */
import { type Clock, createPart, type Part } from '#lib/runtime';
import { parseAllowedNetworks } from './allowed-networks.ts';
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts';
import { createDestinations, type Destination } from './destination.ts';
import { exchange } from './exchange.ts';
import { type HttpRequest, type HttpResult, noTiming } from './http-exchange.ts';
import { createNameResolver, resolveBySystem } from './name-resolver.ts';
import { createSocketOpener } from './open-socket.ts';
import { routeKey } from './route-key.ts';
import { createTlsMemory } from './tls-memory.ts';
import { createHostVetting, type Resolve } from './vet-host.ts';
import type { UrlPolicy } from './vet-url.ts';

export interface HttpClient extends Part {
  /** Never rejects because of the server or the network. */
  send(request: HttpRequest): Promise<HttpResult>;
}

interface Options extends UrlPolicy {
  clock: Clock;
  /** Limit per origin and route. Further requests wait for a connection within their time-out: set it to the most requests in flight. */
  maxConnectionsPerHost: number;
  resolve?: Resolve;
  ca?: string;
}

export function createHttpClient(options: Options): HttpClient {
  const { clock } = options;
  const resolve = options.resolve ?? createNameResolver({ clock, resolveBySystem });
  const tls = createTlsMemory(options.ca);
  /** A proxy is the choice of those for whom the allowances are, whoever chose the URL. */
  const proxyVetting = createHostVetting({ allowedNetworks: options.allowedNetworks, resolve });
  const vettedBy = (policy: UrlPolicy) => ({
    destinationOf: createDestinations(policy),
    open: createSocketOpener({
      clock,
      tls,
      vetting: createHostVetting({ allowedNetworks: policy.allowedNetworks, resolve }),
      proxyVetting,
    }),
  });
  const usual = vettedBy(options);
  const strict = vettedBy({ allowHttp: false, allowedNetworks: parseAllowedNetworks([]) });
  /** Pools with a connection or a request; an empty one is removed. */
  const pools = new Map<string, ConnectionPool>();

  function poolOf({ origin, ...host }: Destination, { route, isStrict = false }: HttpRequest): ConnectionPool {
    // A connection is as good as its vetting: none that was opened with the allowances serves a strict request.
    const key = `${isStrict ? 'strict' : ''} ${routeKey(route)} ${origin}`;
    const known = pools.get(key);
    if (known !== undefined) return known;
    const pool: ConnectionPool = createConnectionPool({
      origin,
      target: { ...host, route },
      open: isStrict ? strict.open : usual.open,
      maxConnections: options.maxConnectionsPerHost,
      onEmpty: () => {
        if (pools.get(key) === pool) pools.delete(key);
      },
    });
    pools.set(key, pool);
    return pool;
  }

  function send(request: HttpRequest): Promise<HttpResult> {
    const { destinationOf } = request.isStrict === true ? strict : usual;
    const destination = destinationOf(request.url);
    if ('refused' in destination)
      return Promise.resolve({ outcome: 'blocked', detail: destination.refused, timing: noTiming });
    return exchange({ clock, pool: () => poolOf(destination, request) }, request, destination);
  }

  return {
    ...createPart(
      'http client',
      async () => undefined,
      async () => {
        for (const pool of [...pools.values()]) pool.destroy();
      },
    ),
    send,
  };
}
