/** The columns of events, payloads, receipts and deliveries, as migrations make them: statements and types of rows derive from these. */
import { type DeliveryCount, deliveryCounts } from '#lib/contract';
import type { Columns } from './columns.ts';

/** The fields that an event has from its receipt on; they never change. */
export const arrivedColumns = {
  tenant: 'text',
  id: 'text',
  source_id: 'text',
  event_id: 'text?',
  type: 'text',
  receipt_id: 'text',
  origin: 'text',
  dedup_key: 'bytea',
  received_at: 'timestamptz',
  ordering_key: 'text?',
  traceparent: 'text',
  /** An object of texts by name; null for none. */
  tags: 'jsonb?',
} as const satisfies Columns;

/** How many deliveries of an event have which status. */
export const deliveryCountColumns = Object.fromEntries(deliveryCounts.map((count) => [count, 'int'])) as Record<
  DeliveryCount,
  'int'
>;

export const eventColumns = {
  ...arrivedColumns,
  updated_at: 'timestamptz',
  status: 'text',
  /** The newest whose deliveries are known. */
  generation: 'int?',
  /** The set of generation 0 is known. */
  counted: 'boolean',
  duplicates: 'int',
  duplicates_changed: 'int',
  ...deliveryCountColumns,
} as const satisfies Columns;

export const payloadColumns = {
  tenant: 'text',
  event_id: 'text',
  received_at: 'timestamptz',
  content_type: 'text',
  content_encoding: 'text?',
  body: 'bytea',
  /** The request of the webhook: EventRequest of libs/contract. */
  request: 'json?',
} as const satisfies Columns;

/** The fields that a receipt has from its arrival on. */
export const receiptColumns = {
  tenant: 'text',
  origin: 'text',
  receipt_id: 'text',
  dedup_key: 'bytea',
  /** Told from the payload as dedup tells it from the body: see libs/dedup-store. */
  body_hash: 'bytea',
  received_at: 'timestamptz',
} as const satisfies Columns;

/** The result of the last attempt of a delivery; null before the first. */
export const lastAttemptColumns = {
  last_outcome: 'text?',
  last_http_status: 'int?',
  last_detail: 'text?',
} as const satisfies Columns;

export const deliveryColumns = {
  tenant: 'text',
  id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  generation: 'int',
  status: 'text',
  step: 'int',
  attempts: 'int',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  next_attempt_at: 'timestamptz?',
  detail: 'text?',
  ...lastAttemptColumns,
} as const satisfies Columns;
