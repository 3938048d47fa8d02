import { connect } from 'node:net';
import type { ISocketFactory } from 'kafkajs';

const keepAliveDelayMs = 60_000;

/**
 * As kafkajs makes it, but for one thing: kafkajs lets go of the same dead connection at every crash and restart of a consumer for as long
 * as its broker is away, and Node has `unref` of a socket that has closed wait for its connection each time, which never comes.
 */
export const createSocket: ISocketFactory = ({ host, port, onConnect }) => {
  const socket = connect({ host, port }, onConnect);
  socket.setKeepAlive(true, keepAliveDelayMs);
  return socket.once('close', () => (socket.unref = () => socket));
};
