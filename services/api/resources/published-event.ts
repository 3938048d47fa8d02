import { hash } from 'node:crypto';
import { formatMicros } from '#lib/clock';
import { publishedSourceId, sourceDefaults } from '#lib/contract';
import { bodyHashOf, createDedupStore, createPostgresKeyTable, dedupKeyOf, type KeyMemory } from '#lib/dedup-store';
import { insertEvents, run, takeClocks } from '#lib/event-store';
import type { Query } from '#lib/postgres';

export interface PublishedEvent {
  tenant: string;
  id: string;
  receiptId: string;
  type: string;
  payload: Buffer;
  /** The publisher's own identifier, by which it is published once; null: each is an event of its own. */
  eventId: string | null;
  orderingKey: string | null;
  traceparent: string;
  nowMs: number;
}

/** Redis has traces of what dedup has seen, and dedup never sees these. */
const noMemory: KeyMemory = { recall: async (keys) => keys.map(() => undefined), remember: async () => undefined };

/**
 * An event that nobody has to receive first: it is there, with its payload and its row of the outbox, when its transaction commits. Must
 * come first in that, as whatever takes a tenant's clock.
 *
 * @param unidentified the key of an event without an identifier: of no other
 * @returns the id of the event that has the identifier: another's, where that was published before and is remembered
 */
export async function insertPublishedEvent(tx: Query, event: PublishedEvent, unidentified: Buffer): Promise<string> {
  const { tenant, id, receiptId, type, payload, eventId, orderingKey, traceparent, nowMs } = event;
  const [clock] = await run(tx, takeClocks, [{ tenant, n: 1 }]);
  const origin = `api:${id}`;
  const bodyHash = bodyHashOf(hash('sha256', payload, 'buffer'));
  const key = eventId === null ? unidentified : dedupKeyOf(tenant, publishedSourceId, { kind: 'text', text: eventId });
  // Of one without an identifier nobody will ever ask whether it was seen before: it needs no row.
  if (eventId !== null) {
    const store = createDedupStore({ memory: noMemory, table: createPostgresKeyTable(tx) });
    const candidate = { tenant, key, origin, eventId: id, bodyHash, receivedAt: nowMs * 1_000 };
    const [verdict] = await store.decide([{ ...candidate, ttlSeconds: sourceDefaults.dedup_ttl_seconds }]);
    if (verdict?.kind === 'duplicate') return verdict.holder.eventId ?? '';
  }
  await run(tx, insertEvents, [
    {
      tenant,
      id,
      source_id: publishedSourceId,
      event_id: eventId,
      type,
      receipt_id: receiptId,
      origin,
      dedup_key: key,
      body_hash: bodyHash,
      received_at: formatMicros(nowMs * 1_000),
      updated_at: clock?.last_at ?? '',
      ordering_key: orderingKey,
      traceparent,
      content_type: 'application/json',
      content_encoding: null,
      payload,
    },
  ]);
  await tx.query('INSERT INTO outbox (tenant, event_id, ordering_key) VALUES ($1, $2, $3)', [tenant, id, orderingKey]);
  return id;
}
