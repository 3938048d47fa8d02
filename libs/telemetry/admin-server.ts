import { fastify } from 'fastify';
import type { Registry } from 'prom-client';
import { answerClientError, createHttpServer } from '#lib/net';
import type { Part } from '#lib/runtime';
import { asksForOpenMetrics, openMetricsOf } from './open-metrics.ts';

interface Options {
  host: string;
  port: number;
  /** The current metrics. */
  metrics(): Registry;
  /** Started and not stopping: may be given work. */
  isReady(): boolean;
}

/**
 * `/metrics` (Prometheus; with exemplars for who asks for OpenMetrics), `/livez` (the event loop turns: restart me if it does not answer) and `/readyz` (send me work), apart from the
 * traffic so that a full server still answers its operator.
 */
export function createAdminServer(options: Options): Part {
  const app = fastify({ logger: false, clientErrorHandler: answerClientError });
  app.get('/metrics', async (request, reply) => {
    const metrics = options.metrics();
    const { contentType, text } = asksForOpenMetrics(request.headers.accept)
      ? await openMetricsOf(metrics)
      : { contentType: metrics.contentType, text: await metrics.metrics() };
    return reply.type(contentType).header('vary', 'accept').send(text);
  });
  app.get('/livez', async () => ({ status: 'live' }));
  app.get('/readyz', async (_request, reply) =>
    options.isReady() ? { status: 'ready' } : reply.code(503).send({ status: 'not ready' }),
  );
  return createHttpServer({ app, name: 'admin server', host: options.host, port: options.port });
}
