import { hash } from 'node:crypto';
import { type DeliveryStatus, isFinal, packHeaders, type SetChunk } from '#lib/contract';
import type { Fact } from '../../../services/projector/facts.ts';
import { noSend } from '../../support/no-send.ts';

/** Microseconds; of the history that tests tell. */
export const startAt = Date.UTC(2026, 0, 1) * 1000;

interface Named {
  tenant: string;
  eventId: string;
}

export const eventFact = (
  { tenant, eventId }: Named,
  more: Partial<Extract<Fact, { kind: 'event' }>['event']> = {},
  /** The endpoints that it was fanned out to when it was published. */
  endpointIds?: readonly string[],
): Extract<Fact, { kind: 'event' }> => ({
  kind: 'event',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`,
  event: {
    id: eventId,
    tenant,
    source_id: 'src_1',
    event_id: `their ${eventId}`,
    type: 'order.paid',
    receipt_id: `rcp_${eventId}`,
    origin: `received-0-${eventId}`,
    received_at: startAt,
    dedup_key: Buffer.from(`key of ${eventId}`),
    content_type: 'application/json',
    content_encoding: null,
    http_headers: {},
    request: null,
    tags: {},
    ordering_key: null,
    payload: Buffer.from(`{"id":"${eventId}"}`),
    ...more,
  },
  fanOut:
    endpointIds === undefined
      ? null
      : {
          tenant,
          event_id: eventId,
          generation: 0,
          at: startAt + 10,
          chunk: null,
          deliveries: endpointIds.map((id) => ({ delivery_id: deliveryId(eventId, id, 0), endpoint_id: id })),
        },
});

export const duplicateFact = (
  { tenant, eventId }: Named,
  {
    origin,
    key = `key of ${eventId}`,
    payload = `{"id":"${eventId}"}`,
    named = 'by its id',
    receivedAt = startAt + 1,
  }: {
    origin: string;
    key?: string | Buffer;
    /** The event's own, unless given. */
    payload?: string;
    named?: 'by its id' | 'by its id’s end';
    receivedAt?: number;
  },
): Fact => ({
  kind: 'duplicate',
  duplicate: {
    tenant,
    source_id: 'src_1',
    receipt_id: `rcp_of_${origin}`,
    origin,
    received_at: receivedAt,
    dedup_key: (typeof key === 'string' ? Buffer.from(key) : key).toString('hex'),
    event_id: named === 'by its id' ? eventId : null,
    event_id_end: eventId.slice(-2),
    body_hash: hash('sha256', payload).slice(0, 16),
    // Dedup's guess; the projector compares the hashes.
    changed: false,
  },
});

export const deliveryId = (eventId: string, endpointId: string, generation = 0): string =>
  `dlv_${eventId}_${endpointId}_${generation}`;

export const fanOutFact = (
  { tenant, eventId }: Named,
  endpointIds: readonly string[],
  generation = 0,
  chunk: SetChunk | null = null,
): Fact => ({
  kind: 'fan-out',
  fanOut: {
    tenant,
    event_id: eventId,
    generation,
    at: startAt + 10,
    deliveries: endpointIds.map((endpoint_id) => ({
      endpoint_id,
      delivery_id: deliveryId(eventId, endpoint_id, generation),
    })),
    chunk,
  },
});

/** The outcome of a step of a delivery; `sent: false` says that it ended without a send. */
export const outcomeFact = (
  { tenant, eventId }: Named,
  endpointId: string,
  step: number,
  status: DeliveryStatus,
  { generation = 0, sent = status !== 'parked' && status !== 'cancelled', ordered = false } = {},
): Fact => {
  const stepFields = {
    tenant,
    event_id: eventId,
    generation,
    at: startAt + 100 + step,
    delivery_id: deliveryId(eventId, endpointId, generation),
    endpoint_id: endpointId,
    step,
    attempt: step,
    status,
    created_at: startAt + 10,
    next_attempt_at: status === 'retrying' ? startAt + 1_000_000 * step : null,
    detail: isFinal(status) ? null : `step ${step}`,
    ordering_key: ordered ? 'key' : null,
  };
  if (!sent) return { kind: 'outcome', outcome: { kind: isFinal(status) ? 'ended' : 'parked', ...stepFields } };
  return {
    kind: 'outcome',
    outcome: {
      kind: 'attempted',
      ...stepFields,
      ...noSend,
      outcome: status === 'delivered' ? 'delivered' : 'http_5xx',
      http_status: status === 'delivered' ? 200 : 500,
      duration_ms: 12.5,
      response_excerpt: Buffer.from('…'),
      request: { method: 'POST', url: 'https://receiver.test/', headers: { 'webhook-id': eventId } },
      response_headers: { server: 'test' },
      timing: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: 11.25, body_ms: 0.5 },
    },
  };
};

export const deadLetterFact = (tenant: string, origin: string): Fact => ({
  kind: 'dead_letter',
  deadLetter: {
    tenant,
    stage: 'dispatcher',
    reason: 'retries_exhausted',
    attempts: 4,
    origin,
    at: startAt + 500,
    event_id: 'evt_1',
    delivery_id: null,
    endpoint_id: null,
    source_id: null,
    event_type: null,
    generation: 0,
    key: null,
    headers: packHeaders({}),
    value: null,
    shortenedFrom: null,
    partition: 2,
    offset: 2n ** 40n,
  },
});
