import { randomBytes } from 'node:crypto';
import { type EventRecord, header, receivedWebhookHeaders } from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import { createId } from '#lib/runtime';
import { newTraceparent } from '#lib/telemetry';

export const tenant = 'default';

/** An event as dedup would have written it. */
export function eventRecord(
  topic: string,
  encode: (event: EventRecord) => Buffer,
  ofTenant: string = tenant,
): OutgoingRecord {
  const nowMs = Date.now();
  const id = createId('evt', nowMs);
  const value = encode({
    id,
    tenant: ofTenant,
    source_id: 'src_1',
    event_id: null,
    type: 'order.created',
    receipt_id: createId('rcp', nowMs),
    origin: `replay-run-0-${id}`,
    received_at: nowMs * 1_000,
    dedup_key: randomBytes(16),
    content_type: 'application/json',
    content_encoding: null,
    http_headers: {},
    request: null,
    tags: {},
    ordering_key: null,
    payload: Buffer.from(JSON.stringify({ id })),
  });
  return { topic, key: id, value, headers: { traceparent: newTraceparent(undefined) } };
}

export const unreadableEvent = (topic: string): OutgoingRecord => ({
  topic,
  key: randomBytes(8),
  value: randomBytes(20),
  headers: { [header.tenant]: tenant },
});

/** A webhook with an invalid identification rule. */
export function unreadableWebhook(topic: string): OutgoingRecord {
  const headers = receivedWebhookHeaders({
    tenant,
    sourceId: 'src_1',
    receiptId: createId('rcp', Date.now()),
    receivedAt: Date.now() * 1_000,
    contentType: 'text/plain',
    contentEncoding: null,
    httpHeaders: {},
    identifyBy: [],
    typeBy: [],
    dedupTtlSeconds: 3_600,
    orderingKey: null,
    traceparent: '',
    origin: null,
  });
  return { topic, key: null, value: randomBytes(20), headers: { ...headers, [header.identifyBy]: 'no rule' } };
}
