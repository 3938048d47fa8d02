import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';
import type { KafkaTls } from '../access.ts';

const keepAliveDelayMs = 60_000;
/** For the peer to end its side too. One that is unreachable never does, and each connection tried meanwhile would stay open. */
const lingerMs = 5_000;

/**
 * As kafkajs makes them, but for three things. What still happens to a connection that it has let go of is not told: it would be taken for
 * what happens to the next. One that it lets go of before it is made is never made: kafkajs would take it for connected, and wait for answers
 * to requests that can't be sent. And kafkajs lets go of the same dead connection at every crash and restart of a consumer for as long as its
 * broker is away, and Node has `unref` of a socket that has closed wait for its connection each time, which never comes.
 */
export const socketsOver =
  (tls: KafkaTls | undefined): ISocketFactory =>
  ({ host, port, onConnect }) => {
    let isMade = false;
    const onMade = (): void => {
      isMade = true;
      onConnect();
    };
    const socket =
      tls === undefined
        ? connect({ host, port }, onMade)
        : connectTls({ ...tls.options(), host, port, ...(isIP(host) === 0 && { servername: host }) }, onMade);
    socket.setKeepAlive(true, keepAliveDelayMs);
    const end = socket.end.bind(socket);
    const letGo = listenersFromNowOn(socket);
    let lingering: NodeJS.Timeout | undefined;
    socket.end = () => {
      if (!isMade) return socket.destroy(new Error('it was let go of before it was made'));
      letGo();
      lingering ??= setTimeout(() => socket.destroy(), lingerMs).unref();
      return end();
    };
    socket.once('close', () => clearTimeout(lingering));
    return socket.once('close', () => (socket.unref = () => socket));
  };

const told = ['data', 'end', 'timeout', 'error'] as const;

/** @returns what takes those away again that are added from now on */
function listenersFromNowOn(socket: Socket): () => void {
  const before = new Map(told.map((event) => [event, new Set(socket.listeners(event))]));
  return () => {
    for (const event of told)
      for (const listener of socket.listeners(event))
        if (!before.get(event)?.has(listener)) socket.off(event, listener as (...args: unknown[]) => void);
    // It has to be read to its end to be closed, and its last error is nobody's.
    socket.on('error', () => undefined).resume();
  };
}
