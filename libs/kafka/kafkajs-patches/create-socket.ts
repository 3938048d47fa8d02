import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';
import type { ClientTls } from '#lib/net';

const keepAliveDelayMs = 60_000;
/** Time for the peer to end its side too. An unreachable peer never does, and every connection tried meanwhile would stay open. */
const lingerMs = 5_000;

/**
 * kafkajs's own socket factory, with three differences:
 *
 * - Events of a socket that kafkajs has ended no longer reach it: it would take them for events of the next connection.
 * - A socket that is ended before it is connected is destroyed: kafkajs would take it for connected and wait for answers to requests that can't
 *   be sent.
 * - `unref` of a closed socket does nothing. kafkajs ends the same dead socket at every restart of a consumer while its broker is away, and Node
 *   adds a listener for `connect` each time.
 */
export const createSocketFactory =
  (tls: ClientTls | undefined): ISocketFactory =>
  ({ host, port, onConnect }) => {
    let isConnected = false;
    const onConnected = (): void => {
      isConnected = true;
      onConnect();
    };
    const socket =
      tls === undefined
        ? connect({ host, port }, onConnected)
        : connectTls({ ...tls.options(), host, port, ...(isIP(host) === 0 && { servername: host }) }, onConnected);
    socket.setKeepAlive(true, keepAliveDelayMs);
    const end = socket.end.bind(socket);
    const removeListeners = trackLaterListeners(socket);
    let lingering: NodeJS.Timeout | undefined;
    socket.end = () => {
      if (!isConnected) return socket.destroy(new Error('the socket was ended before it was connected'));
      removeListeners();
      lingering ??= setTimeout(() => socket.destroy(), lingerMs).unref();
      return end();
    };
    socket.once('close', () => clearTimeout(lingering));
    return socket.once('close', () => (socket.unref = () => socket));
  };

const reported = ['data', 'end', 'timeout', 'error'] as const;

/** @returns removes the listeners that were added after this call */
function trackLaterListeners(socket: Socket): () => void {
  const before = new Map(reported.map((event) => [event, new Set(socket.listeners(event))]));
  return () => {
    for (const event of reported)
      for (const listener of socket.listeners(event))
        if (!before.get(event)?.has(listener)) socket.off(event, listener as (...args: unknown[]) => void);
    // The socket closes only after it was read to its end; nobody needs its last error.
    socket.on('error', () => undefined).resume();
  };
}
