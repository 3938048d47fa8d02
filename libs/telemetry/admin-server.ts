import { fastify } from 'fastify';
import type { Registry } from 'prom-client';
import { createPart, type Part } from '#lib/lifecycle';

interface Options {
  host: string;
  port: number;
  metrics: Registry;
  /** Started and not stopping: may be given work. */
  isReady(): boolean;
}

/**
 * `/metrics` (Prometheus), `/livez` (the event loop turns: restart me if it does not answer) and `/readyz` (send me work), apart from the
 * traffic so that a full server still answers its operator.
 */
export function createAdminServer(options: Options): Part {
  const app = fastify({ logger: false, forceCloseConnections: true });
  app.get('/metrics', async (_request, reply) =>
    reply.type(options.metrics.contentType).send(await options.metrics.metrics()),
  );
  app.get('/livez', async () => ({ status: 'live' }));
  app.get('/readyz', async (_request, reply) =>
    options.isReady() ? { status: 'ready' } : reply.code(503).send({ status: 'not ready' }),
  );
  return createPart(
    'admin server',
    async () => {
      await app.listen({ host: options.host, port: options.port });
    },
    () => app.close(),
  );
}
