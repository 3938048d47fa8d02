import type { Socket } from 'node:net';
import type { ISocketFactory } from 'kafkajs';

/** All sockets of one client, so that a client that is in doubt can be cut off whatever it does. */
export interface SocketGate {
  /** Give this to kafkajs as its socket factory. Throws once the gate is closed. */
  open: ISocketFactory;
  /** Destroys every socket and lets no more be opened. */
  close(): void;
}

export function createSocketGate(openSocket: ISocketFactory): SocketGate {
  const sockets = new Set<Socket>();
  let isClosed = false;
  return {
    open(address) {
      if (isClosed) throw new Error('the client was discarded');
      const socket = openSocket(address);
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
    close() {
      isClosed = true;
      // With an error, so that the requests on it end.
      for (const socket of sockets) socket.destroy(new Error('the client was discarded'));
      sockets.clear();
    },
  };
}
