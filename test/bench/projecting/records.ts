/**
 * The records of delivered webhooks: for each its event, the set of its deliveries, and an outcome of each delivery. Outcomes come after
 * some later events have been fanned out, because a receiver takes its time.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Attempted, AttemptRecord, EventRecord, FannedOut } from '#lib/contract';
import { createId } from '#lib/runtime';
import { noSend } from '../../support/no-send.ts';

export interface DeliveredWebhook {
  event: EventRecord;
  set: FannedOut;
  outcomes: Attempted[];
}

/** The projector’s, and the loop’s. */
export const tenants = { projected: 'acme', inserted: 'loop' } as const;
/** So many events are fanned out before the outcome of one is there. */
const outcomesAfter = 100;

/** The n-th, accepted at this moment. */
export function deliveredWebhook(
  n: number,
  { tenant, bytes, endpoints }: { tenant: string; bytes: number; endpoints: number },
): DeliveredWebhook {
  const nowMs = Date.now();
  const id = createId('evt', nowMs);
  const payload = payloadOf(n, bytes);
  const ofEvent = { tenant, event_id: id, generation: 0, at: nowMs * 1_000 };
  const deliveries = Array.from({ length: endpoints }, (_, endpoint) => ({
    delivery_id: createId('dlv', nowMs),
    endpoint_id: `ep_${String(endpoint).padStart(26, '0')}`,
  }));
  return {
    event: {
      id,
      tenant,
      payload,
      source_id: 'src_01jb0000000000000000000000',
      event_id: `delivery-${n}`,
      type: 'issues.opened',
      receipt_id: createId('rcp', nowMs),
      origin: `webhooks.received-0-${n}`,
      received_at: nowMs * 1_000,
      dedup_key: hash('sha256', `${n}`, 'buffer').subarray(0, 16),
      content_type: 'application/json',
      content_encoding: null,
      http_headers: {},
      request: null,
      tags: {},
      ordering_key: null,
    },
    set: { ...ofEvent, kind: 'fanned_out', deliveries, chunk: null },
    outcomes: deliveries.map((delivery) => ({
      ...noSend,
      ...ofEvent,
      ...delivery,
      kind: 'attempted' as const,
      next_attempt_at: null,
      ordering_key: null,
      detail: null,
      step: 1,
      attempt: 1,
      status: 'delivered' as const,
      outcome: 'delivered' as const,
      http_status: 200,
      created_at: nowMs * 1_000,
      duration_ms: 12.5,
      response_excerpt: Buffer.from('ok'),
      request: { method: 'POST', url: 'https://receiver.example/hooks', headers: requestHeaders(id) },
      response_headers: { date: new Date(nowMs).toUTCString(), 'content-type': 'text/plain', 'content-length': '2' },
      timing: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: 11.25, body_ms: 0.5 },
    })),
  };
}

/** The records of `delivery.attempts` as they follow one another there. */
export function* inOrder(webhooks: readonly DeliveredWebhook[]): Generator<AttemptRecord> {
  for (let n = 0; n < webhooks.length + outcomesAfter; n += 1) {
    const [fannedOut, delivered] = [webhooks[n], webhooks[n - outcomesAfter]];
    if (fannedOut !== undefined) yield fannedOut.set;
    if (delivered !== undefined) yield* delivered.outcomes;
  }
}

const requestHeaders = (id: string): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Hookline/1',
  'webhook-id': id,
  'webhook-timestamp': '1764000000',
  'webhook-signature': `v1,${'*'.repeat(44)}`,
  'hookline-signature': `t=1764000000,v1=${'*'.repeat(64)}`,
  'hookline-event-type': 'issues.opened',
  'hookline-attempt': '1',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`,
});

/** JSON that shrinks when it is compressed as that of a webhook does: names again and again, values of their own. */
function payloadOf(n: number, bytes: number): Buffer {
  const fields: string[] = [`"id":"delivery-${n}"`];
  const values = randomBytes(Math.ceil(bytes / 4)).toString('hex');
  for (let [size, at] = [0, 0]; size < bytes; at += 16) {
    const field = `"repository_${at % 7}_url":"https://api.example/repos/${values.slice(at, at + 16)}"`;
    fields.push(field);
    size += field.length + 1;
  }
  return Buffer.from(`{${fields.join()}`.slice(0, bytes - 2).concat('"}'));
}
