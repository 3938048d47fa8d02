import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { createPart, type Part } from '#lib/lifecycle';

interface Options {
  app: FastifyInstance;
  host: string;
  port: number;
}

/**
 * Listens; and stops when every request that has begun is answered. Connections that are merely open do not hold it up: Node would wait
 * for them until their clients let go.
 */
export function createHttpServer({ app, host, port }: Options): Part {
  const answering = new Set<ServerResponse>();
  let lastAnswered: (() => void) | undefined;

  app.server.prependListener('request', (_request, response: ServerResponse) => {
    answering.add(response);
    response.once('close', () => {
      answering.delete(response);
      if (answering.size === 0) lastAnswered?.();
    });
  });

  return createPart(
    'http server',
    async () => {
      await app.listen({ host, port });
    },
    async () => {
      app.server.close();
      if (answering.size > 0) await new Promise<void>((resolve) => (lastAnswered = resolve));
      app.server.closeAllConnections();
      await app.close();
    },
  );
}
