/**
 * Opens sockets to vetted addresses only: resolves the name, vets the addresses, connects, goes through the proxy if there is one, and does
 * the TLS handshake. Each step has its own limit and records its time.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import type { Clock } from '#lib/runtime';
import type { HttpRoute } from './http-exchange.ts';
import { connectLimitMs, proxyLimitMs, tlsLimitMs } from './limits.ts';
import { openTunnel, proxyFailure } from './open-tunnel.ts';
import { failureOf, type Phase, SendFailure, timedOut } from './send-failure.ts';
import type { TlsMemory } from './tls-memory.ts';
import type { HostVetting } from './vet-host.ts';

export interface Target {
  hostname: string;
  port: number;
  isTls: boolean;
  route: HttpRoute | undefined;
}

/** The progress of opening a connection, with the time of each step. */
export interface Opening {
  phase: Phase;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
}

/** Rejects with a SendFailure. */
export type OpenSocket = (target: Target, opening: Opening) => Promise<Socket>;

interface Deps {
  clock: Clock;
  vetting: HostVetting;
  proxyVetting: HostVetting;
  tls: TlsMemory;
}

const keepAliveAfterMs = 60_000;

export function createSocketOpener({ clock, vetting, proxyVetting, tls }: Deps): OpenSocket {
  return async (target, opening) => {
    const proxy = target.route?.proxy === undefined ? undefined : proxyUrl(target.route.proxy);
    const addresses = await addressesOf(target.hostname, vetting, opening);
    const proxyAddresses = proxy === undefined ? undefined : await addressesOfProxy(proxy, opening);

    opening.phase = 'connect';
    const startedAtMs = clock.monotonicMs();
    const socket =
      proxy === undefined || proxyAddresses === undefined
        ? await connect(addresses, target.port)
        : await connectThrough(proxy, proxyAddresses, addresses, target.port, opening);
    opening.connectMs = clock.monotonicMs() - startedAtMs;
    if (!target.isTls) return socket;

    opening.phase = 'tls';
    const securedAtMs = clock.monotonicMs();
    const secured = await shakeHands(socket, target);
    opening.tlsMs = clock.monotonicMs() - securedAtMs;
    return secured;
  };

  async function addressesOf(hostname: string, by: HostVetting, opening: Opening): Promise<readonly string[]> {
    const literal = by.literal(hostname);
    if (literal !== undefined) return [literal];
    opening.phase = 'dns';
    const startedAtMs = clock.monotonicMs();
    const addresses = await by.addressesOf(hostname);
    opening.dnsMs = (opening.dnsMs ?? 0) + clock.monotonicMs() - startedAtMs;
    return addresses;
  }

  /** A proxy is named by a customer too. */
  function addressesOfProxy(proxy: URL, opening: Opening): Promise<readonly string[]> {
    return ofProxy(() => addressesOf(proxy.hostname, proxyVetting, opening));
  }

  async function connect(addresses: readonly string[], port: number): Promise<Socket> {
    const [first = ''] = addresses;
    const socket = connectTcp({
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveAfterMs,
      ...(addresses.length === 1
        ? { host: first }
        : {
            // No look-up happens despite the name: Node tries only these addresses, one after the other (happy eyeballs).
            host: 'vetted.invalid',
            autoSelectFamily: true,
            lookup: (_host, _options, callback) =>
              callback(
                null,
                addresses.map((address) => ({ address, family: isIP(address) })),
              ),
          }),
    });
    await eventOf(socket, 'connect', connectLimitMs, 'connect');
    return socket;
  }

  async function connectThrough(
    proxy: URL,
    proxyAddresses: readonly string[],
    addresses: readonly string[],
    port: number,
    opening: Opening,
  ): Promise<Socket> {
    const isTls = proxy.protocol === 'https:';
    const socket = await ofProxy(async () => {
      const plain = await connect(proxyAddresses, Number(proxy.port) || (isTls ? 443 : 80));
      return isTls ? secure(plain, proxy.hostname, tls.context(undefined)) : plain;
    });
    opening.phase = 'proxy';
    // A proxy may be without IPv6, and gets one try.
    const address = addresses.find((each) => isIP(each) === 4) ?? addresses[0] ?? '';
    return within(proxyLimitMs, 'proxy', socket, openTunnel(socket, address, port, proxy));
  }

  async function shakeHands(socket: Socket, target: Target): Promise<TLSSocket> {
    const context = contextOf(socket, target.route);
    const secured = await secure(socket, target.hostname, context, tls.session(target));
    secured.on('session', (session) => tls.keepSession(target, session));
    return secured;
  }

  function contextOf(socket: Socket, route: HttpRoute | undefined): SecureContext {
    try {
      return tls.context(route);
    } catch (error) {
      socket.destroy();
      throw new SendFailure('tls', 'the client certificate cannot be used', (error as Error).message);
    }
  }

  async function secure(
    socket: Socket,
    hostname: string,
    secureContext: SecureContext,
    session?: { protocols: readonly string[]; ticket: Buffer | undefined },
  ): Promise<TLSSocket> {
    const name = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
    const secured = connectTls({
      socket,
      host: name,
      // An address is not a server name (RFC 6066); the certificate must list it.
      servername: isIP(name) === 0 ? name : '',
      secureContext,
      rejectUnauthorized: true,
      ALPNProtocols: [...(session?.protocols ?? ['http/1.1'])],
      ...(session?.ticket === undefined ? {} : { session: session.ticket }),
    });
    await eventOf(secured, 'secureConnect', tlsLimitMs, 'tls');
    return secured;
  }

  function eventOf(socket: Socket, event: string, limitMs: number, phase: 'connect' | 'tls'): Promise<void> {
    const happened = new Promise<void>((resolve, reject) => {
      socket.once(event, () => resolve());
      // Stays until the socket closes: the next user adds listeners of its own, and an error in between must not end the process.
      socket.on('error', (error) => reject(failureOf(error, phase)));
    });
    return within(limitMs, phase, socket, happened);
  }

  async function within<T>(limitMs: number, phase: Phase, socket: Socket, work: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const stopLimit = clock.startLimit(limitMs, () => reject(timedOut(phase, limitMs)));
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      stopLimit();
    }
  }
}

async function ofProxy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw proxyFailure(error);
  }
}

function proxyUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new SendFailure('connect', 'the proxy: not an http or https URL');
}
