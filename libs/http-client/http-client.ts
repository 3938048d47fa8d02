/**
 * One HTTP request to a stranger's server, and what came of it. Bounded in every way that the server could stretch it: connecting, the
 * answer's head, its body; a redirect is an answer and is never followed.
 */
import type { Clock } from '#lib/clock';
import { createPart, type Part } from '#lib/lifecycle';
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts';
import { exchange } from './exchange.ts';
import { type HttpRequest, type HttpResult, type HttpRoute, noTiming } from './http-exchange.ts';
import { createNameResolver, resolveBySystem } from './name-resolver.ts';
import { createSocketOpener } from './open-socket.ts';
import { routeKey } from './route-key.ts';
import { createTlsMemory } from './tls-memory.ts';
import { createHostVetting, type Resolve } from './vet-host.ts';
import { type UrlPolicy, vetParsedUrl } from './vet-url.ts';

export interface HttpClient extends Part {
  /** Never rejects for what the server or the way to it does. */
  send(request: HttpRequest): Promise<HttpResult>;
}

interface Options extends UrlPolicy {
  clock: Clock;
  /** For each origin and route. At the bound, requests wait for a connection within their time-out: keep it at what may be in flight at once. */
  maxConnectionsPerHost: number;
  resolve?: Resolve;
  ca?: string;
}

export function createHttpClient(options: Options): HttpClient {
  const { clock } = options;
  const open = createSocketOpener({
    clock,
    tls: createTlsMemory(options.ca),
    vetting: createHostVetting({
      allowedNetworks: options.allowedNetworks,
      resolve: options.resolve ?? createNameResolver({ clock, resolveBySystem }),
    }),
  });
  /** Those that have a connection or a request: one that is left empty goes. */
  const pools = new Map<string, ConnectionPool>();

  function poolOf({ origin, protocol, hostname, port }: URL, route: HttpRoute | undefined): ConnectionPool {
    const key = `${routeKey(route)} ${origin}`;
    const known = pools.get(key);
    if (known !== undefined) return known;
    const isTls = protocol === 'https:';
    const pool: ConnectionPool = createConnectionPool({
      origin,
      target: { hostname, port: Number(port) || (isTls ? 443 : 80), isTls, route },
      open,
      maxConnections: options.maxConnectionsPerHost,
      onEmpty: () => {
        if (pools.get(key) === pool) pools.delete(key);
      },
    });
    pools.set(key, pool);
    return pool;
  }

  async function send(request: HttpRequest): Promise<HttpResult> {
    const url = URL.parse(request.url);
    if (url === null) return { outcome: 'blocked', detail: 'the URL is none', timing: noTiming };
    const verdict = vetParsedUrl(url, options);
    if (!verdict.allowed) {
      return { outcome: 'blocked', detail: `the URL is not allowed: ${verdict.reason}`, timing: noTiming };
    }
    return exchange({ clock, pool: () => poolOf(url, request.route) }, request, url);
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
