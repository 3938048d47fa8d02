import { defaultNumber } from '#lib/config';
import { maxPayloadBytes } from '#lib/contract';
import type { OtherLimits } from '#lib/tenancy';
import { fields } from './config.ts';

/** Limits that senders meet. Problems name the first two in `limit`. */
export const ingressLimits = {
  source_rate: {
    whose: 'each source',
    usual: null,
    unit: 'per_second',
    counts: 'webhooks per second, with bursts: as its `rate_limit` says',
    atLimit: 'further webhooks are 429',
    raisedBy: '`rate_limit` of the source',
  },
  webhook_body: {
    whose: 'each webhook',
    usual: maxPayloadBytes,
    unit: 'bytes',
    counts: 'bytes of its body',
    atLimit: '413',
    raisedBy: 'no setting',
  },
  ingress_connections: {
    whose: 'each ingress process',
    usual: defaultNumber(fields.maxConnections),
    unit: 'count',
    counts: 'open connections',
    atLimit: '503; a tenth above it, new connections are closed',
    raisedBy: '`HOOKLINE_INGRESS_MAX_CONNECTIONS`',
  },
  ingress_reading_bytes: {
    whose: 'each ingress process',
    usual: defaultNumber(fields.maxReadingBytes),
    unit: 'bytes',
    counts: 'bytes of bodies that are being read',
    atLimit: '503',
    raisedBy: '`HOOKLINE_INGRESS_MAX_READING_BYTES`',
  },
  ingress_pending_bytes: {
    whose: 'each ingress process',
    usual: defaultNumber(fields.maxPendingBytes),
    unit: 'bytes',
    counts: 'bytes of records that Kafka has not acknowledged',
    atLimit: '503',
    raisedBy: '`HOOKLINE_INGRESS_MAX_PENDING_BYTES`',
  },
  ingress_pending_records: {
    whose: 'each ingress process',
    usual: defaultNumber(fields.maxPendingRecords),
    unit: 'count',
    counts: 'records that Kafka has not acknowledged',
    atLimit: '503',
    raisedBy: '`HOOKLINE_INGRESS_MAX_PENDING_RECORDS`',
  },
} as const satisfies OtherLimits;
