import type { Clock } from '#lib/clock';
import type { Delivery } from '#lib/contract';
import type { HttpClient, HttpResult } from '#lib/http-client';
import { signatureHeaders } from '#lib/signatures';
import { childTraceparent } from '#lib/telemetry';
import type { Endpoint } from './endpoint.ts';

/** Sends a delivery once. Never rejects for what comes of it. */
export type Attempt = (delivery: Delivery, endpoint: Endpoint, attempt: number) => Promise<Sending>;

export interface Sending {
  result: HttpResult;
  durationMs: number;
}

export function createAttempt({ http, clock }: { http: Pick<HttpClient, 'send'>; clock: Clock }): Attempt {
  return async (delivery, endpoint, attempt) => {
    const nowMs = clock.nowMs();
    const secrets = endpoint.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > nowMs * 1_000);
    if (secrets.length === 0) {
      return { result: { outcome: 'blocked', detail: 'the endpoint has no secret that can be read' }, durationMs: 0 };
    }
    const headers = {
      ...(delivery.contentType === '' ? {} : { 'content-type': headerText(delivery.contentType) }),
      'user-agent': 'Hookline',
      ...signatureHeaders({
        secrets: secrets.map(({ secret }) => secret),
        id: delivery.eventId,
        timestampSeconds: Math.floor(nowMs / 1_000),
        body: delivery.payload,
      }),
      'hookline-event-type': headerText(delivery.eventType),
      'hookline-attempt': String(attempt),
      traceparent: childTraceparent(delivery.traceparent),
    };
    const startedAtMs = clock.monotonicMs();
    const result = await http.send({
      url: endpoint.url,
      method: 'POST',
      headers,
      body: delivery.payload,
      timeoutMs: endpoint.timeoutMs,
    });
    return { result, durationMs: clock.monotonicMs() - startedAtMs };
  };
}

/** A sender chose this text, and a header takes printable ASCII: the rest as its UTF-8 bytes in percent-encoding. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, (rest) =>
    [...Buffer.from(rest)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
