import { hash } from 'node:crypto';
import { bodyHashOf, type Candidate, dedupKeyOf, eventIdOf } from '#lib/dedup-store';

const ttlSeconds = 259_200;

/** The candidate that dedup makes of a webhook of this name, before it asks anybody. */
export function candidateOf(name: string, { turn, offset }: { turn: number; offset: number }): Candidate {
  const sourceId = `src_bench_${turn}`;
  const origin = `bench-${turn}-${offset}`;
  const record = { tenant: 'default', sourceId, origin, receiptId: `rcp_${origin}`, receivedAt: Date.now() * 1_000 };
  return {
    tenant: record.tenant,
    origin,
    receivedAt: record.receivedAt,
    key: dedupKeyOf(record.tenant, sourceId, { kind: 'text', text: name }),
    eventId: eventIdOf(record),
    bodyHash: bodyHashOf(hash('sha256', name, 'buffer')),
    ttlSeconds,
  };
}
