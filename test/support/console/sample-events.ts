import type { Delivery, EventMatch, EventWithPayload } from '#lib/api-contract';
import { type FakeApi, problemReply, type Reply } from './fake-api.ts';

export const hostile = '<script>alert(1)</script>"\'><img onerror=x>\u202e';

export const eventId = 'evt_01m89bf7kp1j06sf0y5xwedf61';
export const eventUrl = `/t/acme/events/${eventId}`;

export const sampleEvent = (more: Partial<EventWithPayload> = {}): EventWithPayload => ({
  id: eventId,
  type: 'invoice.paid',
  source_id: 'src_1',
  event_id: 'in_1',
  receipt_id: 'rcp_1',
  status: 'dead_lettered',
  received_at: '2026-01-01T12:00:00.000100Z',
  updated_at: '2026-01-01T12:00:03.000000Z',
  duplicates: 0,
  duplicates_changed: 0,
  tags: {},
  ordering_key: null,
  trace_id: null,
  deliveries: { pending: 0, retrying: 0, delivered: 1, dead_lettered: 1, cancelled: 0 },
  ...more,
});

export const erasedEvent = {
  id: eventId,
  status: 'erased',
  received_at: '2026-01-01T12:00:00.000000Z',
  updated_at: '2026-01-02T12:00:00.000000Z',
};

export const sampleDelivery = (more: Partial<Delivery> = {}): Delivery => ({
  id: 'dlv_1',
  event_id: eventId,
  event_type: 'order.paid',
  endpoint_id: 'ep_1',
  generation: 0,
  status: 'delivered',
  attempts: 1,
  next_attempt_at: null,
  detail: null,
  last_outcome: 'delivered',
  last_http_status: 204,
  last_detail: null,
  created_at: '2026-01-01T12:00:00.041100Z',
  updated_at: '2026-01-01T12:00:00.100100Z',
  ...more,
});

export const sampleMatch = (more: Partial<EventMatch> = {}): EventMatch => ({
  endpoint_id: 'ep_1',
  url: 'https://erp.example/hooks',
  matched: true,
  reason: null,
  unjudged: null,
  expected: null,
  clause: null,
  delivery_id: 'dlv_1',
  created_at: '2025-12-01T00:00:00.000000Z',
  disabled_at: null,
  deleted_at: null,
  ...more,
});

const source = { id: 'src_1', name: 'Stripe live', ingest_url: 'https://in.example/v1/webhooks/src_1' };

/** One event with everything that explains it. */
export function giveEvent(
  api: FakeApi,
  {
    event = sampleEvent(),
    payload = {
      body: Buffer.from('{"n":9007199254740993,"one":1.0,"a":1,"a":2}'),
      headers: { 'content-type': 'application/json' },
    },
    matching = [sampleMatch()],
    endpoints = [],
    deliveries = [sampleDelivery()],
    receipts = [
      { id: 'rcp_1', received_at: event.received_at, client_address: '192.0.2.1', kind: 'first', same_bytes: true },
    ],
  }: {
    event?: EventWithPayload | typeof erasedEvent;
    payload?: Reply;
    matching?: object[];
    endpoints?: object[];
    deliveries?: object[];
    receipts?: object[];
  } = {},
): void {
  api.on('GET /v1/sources', { body: [source] });
  api.on('GET /v1/endpoints', { body: endpoints });
  api.on(`GET /v1/events/${eventId}`, { body: event });
  api.on(`GET /v1/events/${eventId}/payload`, payload);
  api.on(`GET /v1/events/${eventId}/request`, {
    body: {
      method: 'POST',
      path: '/v1/webhooks/src_1?token=***',
      client_address: '192.0.2.1',
      headers: [
        { name: 'X-Twice', value: '2' },
        { name: 'Stripe-Signature', value: '***' },
        { name: 'x-twice', value: '1' },
      ],
      truncated: true,
    },
  });
  api.on(`GET /v1/events/${eventId}/receipts`, { body: receipts });
  api.on(`GET /v1/events/${eventId}/deliveries`, { body: deliveries });
  api.on(`GET /v1/events/${eventId}/matching`, { body: matching });
}

/** A list of events, as one answer of the API. */
export function giveList(api: FakeApi, events: readonly object[], headers: Record<string, string> = {}): void {
  api.on('GET /v1/sources', { body: [source] });
  api.on('GET /v1/events', {
    body: events,
    headers: { 'hookline-cursor': 'c-1', 'x-poll-interval': '7', ...headers },
  });
}

export const gone = problemReply(410, 'gone');
