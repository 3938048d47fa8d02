import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { createPart, type Part } from '#lib/lifecycle';

interface Options {
  app: FastifyInstance;
  host: string;
  port: number;
}

/**
 * Listens, and stops without losing an answer: no new connections; what is in flight is finished, with `Connection: close`; then every
 * connection that is left is idle, or silent since it was opened, and is cut. (Node's own `close` waits for such connections for as
 * long as they please.)
 */
export function createHttpServer({ app, host, port }: Options): Part {
  const inFlight = new Set<ServerResponse>();
  let stopping = false;
  let drained: (() => void) | undefined;

  const endConnectionAfter = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };

  // Before the app, which may answer at once.
  app.server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    inFlight.add(response);
    if (stopping) endConnectionAfter(response);
    response.once('close', () => {
      inFlight.delete(response);
      if (inFlight.size === 0) drained?.();
    });
  });

  return createPart(
    'http server',
    async () => {
      await app.listen({ host, port });
    },
    async () => {
      stopping = true;
      app.server.close();
      inFlight.forEach(endConnectionAfter);
      if (inFlight.size > 0) await new Promise<void>((resolve) => (drained = resolve));
      app.server.closeAllConnections();
      await app.close();
    },
  );
}
