import { createServer, type Server } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** Connections that one listener lets wait: each waits for one turn of the event loop after the other. */
export const queueOfEach = 8;

/**
 * More listeners on a server's port, whose connections are the server's: libuv takes one connection from each listener in one turn of the
 * event loop, and a turn may take as long as a request on each of the connections that are open. With one listener, hundreds who connect at
 * once wait for seconds, their requests complete, before anybody sees them.
 *
 * The kernel spreads connections over the listeners of a port by SO_REUSEPORT, which the server itself must have been opened with. Each
 * keeps a short queue of its own: where it is full, the sender's connection is not opened yet, and it knows.
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
