import { problemCodes } from '#lib/problem';
import { attribute, noTracer, type Span, type Tracer, untraced } from '#lib/telemetry';
import type { Outcome } from './outcome.ts';
import type { WebhookRequest } from './webhook-request.ts';

/** A span around a request to the ingress, in its sender's trace if there is one. */
export function startRequestSpan(tracer: Tracer, request: WebhookRequest, route: string): Span {
  const { traceparent } = request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  if (tracer === noTracer) return untraced(parent);
  const span = tracer.start({ kind: 'server', name: `${request.method} ${route}` }, parent);
  if (span.isRecorded)
    span.set({
      [attribute.httpMethod]: request.method,
      [attribute.httpRoute]: route,
      // A query may have a provider's token.
      [attribute.urlPath]: request.raw.url?.split('?', 1)[0],
      [attribute.urlScheme]: request.protocol,
    });
  return span;
}

/** By the conventions a refusal is the sender's error: a server span fails only because of our own errors. */
export function endRequestSpan(span: Span, outcome: Outcome, status: number): void {
  if (!span.isRecorded) return;
  span.set({
    [attribute.sourceId]: outcome.source?.id,
    [attribute.tenant]: outcome.source?.tenant,
    [attribute.receiptId]: outcome.kind === 'accepted' ? outcome.receiptId : undefined,
    [attribute.outcome]: outcome.kind === 'refused' ? outcome.code : outcome.kind,
    // A sender that has left gets no answer.
    [attribute.httpStatus]: outcome.kind === 'client_gone' ? undefined : status,
  });
  if (outcome.kind === 'refused' && problemCodes[outcome.code].status >= 500) span.fail(outcome.code);
  span.end();
}
