import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';
import type { KafkaTls } from './access.ts';

const keepAliveDelayMs = 60_000;

/**
 * As kafkajs makes them, but for one thing: kafkajs lets go of the same dead connection at every crash and restart of a consumer for as long
 * as its broker is away, and Node has `unref` of a socket that has closed wait for its connection each time, which never comes.
 */
export const socketsOver =
  (tls: KafkaTls | undefined): ISocketFactory =>
  ({ host, port, onConnect }) => {
    const socket =
      tls === undefined
        ? connect({ host, port }, onConnect)
        : connectTls({ ...tls.options(), host, port, ...(isIP(host) === 0 && { servername: host }) }, onConnect);
    socket.setKeepAlive(true, keepAliveDelayMs);
    return socket.once('close', () => (socket.unref = () => socket));
  };
