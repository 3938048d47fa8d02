import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Records every address that this process tries to connect to from now on, at the socket: each try of several addresses. */
export function watchConnectionAttempts(): {
  readonly attempts: readonly string[];
  openSockets(): number;
  stop(): void;
} {
  const attempts: string[] = [];
  const sockets: Socket[] = [];
  const watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    sockets.push(socket);
    socket.on('connectionAttempt', (address, port) => attempts.push(`${address} ${port}`));
  };
  subscribe('net.client.socket', watch);
  return {
    attempts,
    openSockets: () => sockets.filter((socket) => !socket.destroyed).length,
    stop: () => unsubscribe('net.client.socket', watch),
  };
}
