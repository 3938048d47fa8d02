import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimit {
  /** Whether the connection was opened beyond the limit: its first request is answered, and then it ends. */
  isBeyond(socket: Socket): boolean;
}

interface Options {
  maxConnections: number;
  /** A connection is closed unanswered. */
  onDrop(): void;
}

/** Refusals are answered up to this multiple of the limit. Past it, sockets are dropped. */
const answeredPart = 1.1;

/**
 * Limits the memory and time of connections: one turn of the event loop may handle a request on each, and nothing else meanwhile.
 * Connections above the limit are answered 503 and closed; more than a tenth above it, they are closed at once.
 */
export function limitConnections(server: Server, { maxConnections, onDrop }: Options): ConnectionLimit {
  const beyond = new WeakSet<Socket>();
  let open = 0;
  // Node's own `maxConnections` knows of one listener's connections.
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
    if (open > maxConnections) beyond.add(socket);
    if (open <= maxConnections * answeredPart) return;
    onDrop();
    socket.destroy();
  });
  // With TLS, requests come on a socket of its own above the connection's.
  server.on('secureConnection', (socket: Socket) => {
    if (open > maxConnections) beyond.add(socket);
  });
  return { isBeyond: (socket) => beyond.has(socket) };
}
