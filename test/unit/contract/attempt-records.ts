import type { Attempted, AttemptRecord, AvroAttempt } from '#lib/contract';
import { noSend } from '../../support/no-send.ts';

const at = Date.UTC(2026, 0, 1) * 1_000;
const ofEvent = { tenant: 'acme', event_id: 'evt_1', generation: 1, at };
const step = {
  delivery_id: 'dlv_1',
  endpoint_id: 'ep_1',
  step: 3,
  attempt: 2,
  created_at: at - 7,
  detail: null,
  next_attempt_at: null,
  ordering_key: null,
};

export const anAttempted: Attempted = {
  ...noSend,
  kind: 'attempted',
  ...ofEvent,
  ...step,
  status: 'retrying',
  outcome: 'http_5xx',
  http_status: 503,
  duration_ms: 12.5,
  detail: 'answered 503',
  response_excerpt: Buffer.from('busy'),
  next_attempt_at: at + 5_000_000,
  ordering_key: 'né',
  request: { method: 'PUT', url: 'https://receiver.test/', headers: { authorization: '***' } },
  response_headers: { server: 'né' },
  timing: { dns_ms: 1.25, connect_ms: 2, tls_ms: null, first_byte_ms: 9, body_ms: 0 },
};

/** Records of every kind. */
export const attemptRecords: AttemptRecord[] = [
  { kind: 'fanned_out', ...ofEvent, deliveries: [{ delivery_id: 'dlv_1', endpoint_id: 'ep_1' }], chunk: null },
  { kind: 'fanned_out', ...ofEvent, deliveries: [], chunk: { try: 'one', index: 1, count: 2 } },
  anAttempted,
  {
    ...anAttempted,
    status: 'dead_lettered',
    outcome: 'blocked',
    next_attempt_at: null,
    http_status: null,
    duration_ms: 0,
    response_excerpt: null,
    request: null,
    response_headers: null,
    timing: null,
  },
  { kind: 'parked', ...ofEvent, ...step, status: 'parked' },
  { kind: 'ended', ...ofEvent, ...step, status: 'cancelled', detail: 'endpoint_deleted' },
];

/** Every field of the Avro record, as none of the kinds has it. */
export const noFields: Omit<AvroAttempt, 'kind' | keyof typeof ofEvent> = {
  ...noSend,
  deliveries: [],
  delivery_id: null,
  endpoint_id: null,
  step: null,
  attempt: null,
  status: null,
  created_at: null,
  outcome: null,
  http_status: null,
  duration_ms: null,
  detail: null,
  response_excerpt: null,
  next_attempt_at: null,
  ordering_key: null,
  request: null,
  response_headers: null,
  timing: null,
  chunk: null,
};
