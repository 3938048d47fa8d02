import { createServer, type Server } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** Connections that one listener queues: each waits one turn of the event loop longer than the one before. */
export const queueOfEach = 8;

/**
 * More listeners on a server's port. libuv accepts one connection per listener in one turn of the event loop, and a turn may take as long
 * as a request on every open connection. With one listener, hundreds of connections opened at once would wait for seconds with complete
 * requests.
 *
 * The kernel spreads connections over the listeners of a port (SO_REUSEPORT, also required of the server itself). Each listener has a short
 * queue: if it is full, the connection is not opened yet, and the sender knows.
 */
export async function openMoreListeners(server: Server, count: number): Promise<Server[]> {
  const address = server.address();
  if (address === null || typeof address === 'string') return [];
  const listeners = Array.from({ length: count }, () =>
    // As Node makes its own servers of HTTP and of TLS.
    createServer({ allowHalfOpen: !(server instanceof TlsServer), noDelay: true }, (socket) =>
      server.emit('connection', socket),
    ),
  );
  await Promise.all(
    listeners.map(
      (listener) =>
        new Promise<void>((resolve, reject) => {
          listener.once('error', reject);
          listener.listen(
            { host: address.address, port: address.port, reusePort: true, backlog: queueOfEach },
            resolve,
          );
        }),
    ),
  );
  return listeners;
}
