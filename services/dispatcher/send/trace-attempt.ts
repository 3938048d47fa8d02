import type { Delivery } from '#lib/contract';
import type { HttpResult } from '#lib/http-client';
import { attribute, type Span, type Tracer } from '#lib/telemetry';
import type { Endpoint } from '../model/endpoint.ts';

/**
 * Around one send. Its parent is what the delivery carries: of the first attempt its fan-out, of a retry its event, which the row is read
 * with; so that all attempts are in one trace.
 */
export function startAttemptSpan(tracer: Tracer, delivery: Delivery, endpoint: Endpoint, attempt: number): Span {
  const span = tracer.start({ kind: 'client', name: endpoint.method }, delivery.traceparent);
  if (!span.isRecorded) return span;
  const { protocol, hostname, port } = new URL(endpoint.url);
  // Not the whole URL: a path or a query may be what keeps others from sending there.
  span.set({
    [attribute.httpMethod]: endpoint.method,
    [attribute.urlScheme]: protocol.slice(0, -1),
    [attribute.serverAddress]: hostname,
    [attribute.serverPort]: Number(port || (protocol === 'https:' ? 443 : 80)),
    [attribute.httpResendCount]: attempt > 1 ? attempt - 1 : undefined,
    [attribute.tenant]: delivery.tenant,
    [attribute.eventId]: delivery.eventId,
    [attribute.endpointId]: delivery.endpointId,
    [attribute.deliveryId]: delivery.id,
    [attribute.attempt]: attempt,
  });
  return span;
}

/** In a client's span every answer from 400 on is an error, and so is no answer. */
export function endAttemptSpan(span: Span, result: HttpResult): void {
  if (!span.isRecorded) return;
  span.set({ [attribute.outcome]: result.outcome });
  if ('status' in result) span.set({ [attribute.httpStatus]: result.status });
  if (result.outcome !== 'delivered') span.fail('status' in result ? String(result.status) : result.outcome);
  span.end();
}
