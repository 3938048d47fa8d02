import { createHash } from 'node:crypto';
import { type Candidate, bodyHashOf, dedupKeyOf, eventIdOf } from '#lib/dedup-store';

/** 2026-01-01T00:00:00Z in microseconds. */
export const startMicros = Date.UTC(2026, 0, 1) * 1000;
export const second = 1_000_000;

interface Given {
  /** The sender's identifier: same id, same key. */
  id: string;
  offset: number;
  tenant?: string;
  body?: string;
  receivedAt?: number;
  ttlSeconds?: number;
}

export function candidateOf({
  id,
  offset,
  tenant = 'default',
  body = `body of ${id}`,
  receivedAt = startMicros,
  ttlSeconds = 3600,
}: Given): Candidate {
  const origin = `webhooks.received-0-${offset}`;
  return {
    tenant,
    key: dedupKeyOf(tenant, 'src_1', { kind: 'text', text: id }),
    origin,
    eventId: eventIdOf({ tenant, sourceId: 'src_1', origin, receiptId: `rcp_${offset}`, receivedAt }),
    bodyHash: bodyHashOf(createHash('sha256').update(body).digest()),
    receivedAt,
    ttlSeconds,
  };
}
