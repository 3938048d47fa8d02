import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { FastifyInstance, FastifyListenOptions } from 'fastify';
import { createPart, type Part } from '#lib/runtime';
import { lingerOnClose } from './lingering-close.ts';
import { openMoreListeners, queueOfEach } from './shared-port.ts';
import { noteAnswered, noteUnanswered } from './unanswered.ts';

interface Options {
  app: FastifyInstance;
  /** Name of the part in the process's lifecycle. Default: http server. */
  name?: string;
  host: string;
  port: number;
  /** Above 1 for servers on which very many may connect at once; see shared-port.ts. Default 1. */
  listeners?: number;
}

/**
 * Listens, and stops without losing a response: it accepts no new connections, finishes requests in flight with `Connection: close`, then
 * cuts the remaining connections, which are idle or were silent since they opened. (Node's own `close` waits for such connections without
 * limit, and its `closeAllConnections` misses those in a TLS handshake.)
 */
export function createHttpServer({ app, name = 'http server', host, port, listeners = 1 }: Options): Part {
  const inFlight = new Set<ServerResponse>();
  const connections = new Set<Socket>();
  let stopping = false;
  let more: Server[] = [];
  let drained: (() => void) | undefined;

  const endConnectionAfter = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };

  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  // Before the app, which may answer at once.
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    lingerOnClose(request);
    noteUnanswered(request, response);
    inFlight.add(response);
    if (stopping) endConnectionAfter(response);
    response.on('close', () => {
      inFlight.delete(response);
      noteAnswered(request, response);
      if (inFlight.size === 0) drained?.();
    });
  });

  return createPart(
    name,
    async () => {
      if (listeners === 1) return void (await app.listen({ host, port }));
      try {
        await app.listen({ host, port, reusePort: true, backlog: queueOfEach } as FastifyListenOptions);
        more = await openMoreListeners(app.server, listeners - 1);
      } catch (error) {
        // A system without SO_REUSEPORT gets one listener.
        if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error;
        await app.listen({ host, port });
      }
    },
    async () => {
      stopping = true;
      for (const listener of [app.server, ...more]) listener.close();
      inFlight.forEach(endConnectionAfter);
      if (inFlight.size > 0) await new Promise<void>((resolve) => (drained = resolve));
      app.server.closeAllConnections();
      for (const socket of connections) socket.destroy();
      await app.close();
    },
  );
}

/**
 * Node itself answers two kinds of requests with a bare status: those without a Host header, and those with an Expect header other than
 * `100-continue`. These options leave both to the app, so that errors have one format.
 */

/** Options of `http.createServer`. The caller must check `problemOfHead` itself. */
export const validateHostOurselves = { requireHostHeader: false } as const;

/** Serves requests with an unknown expectation as if they had none, as RFC 9110 (10.1.1) allows. */
export function ignoreExpectHeader(server: HttpServer): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
