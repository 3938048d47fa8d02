import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { attribute, noTracer, type Span, type Tracer, untraced } from '#lib/telemetry';

declare module 'fastify' {
  interface FastifyRequest {
    /** Lasts to the end of the answer. */
    span: Span;
  }
}

/** A span around every request, in the client's trace if it sends one. Call it before adding any other hook. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', undefined as unknown as Span);
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = start(tracer, request);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    end(request, reply);
    done();
  });
}

export const routeOf = (request: FastifyRequest): string | undefined =>
  request.is404 ? undefined : request.routeOptions.url;

function start(tracer: Tracer, request: FastifyRequest): Span {
  const { traceparent } = request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  if (tracer === noTracer) return untraced(parent);
  const route = routeOf(request);
  const name = route === undefined ? request.method : `${request.method} ${route}`;
  return tracer.start({ kind: 'server', name }, parent);
}

function end(request: FastifyRequest, { statusCode }: FastifyReply): void {
  const { span } = request;
  if (!span.isRecorded) return;
  // Without the query, which may be secret.
  span.set({
    [attribute.httpMethod]: request.method,
    [attribute.httpRoute]: routeOf(request),
    [attribute.httpStatus]: statusCode,
    [attribute.urlPath]: request.url.split('?', 1)[0],
    [attribute.urlScheme]: request.protocol,
    [attribute.tenant]: request.tenant || undefined,
  });
  if (statusCode >= 500) span.fail(String(statusCode));
  span.end();
}
