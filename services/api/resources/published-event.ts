import { hash } from 'node:crypto';
import { formatMicros } from '#lib/clock';
import { publishedSourceId, sourceDefaults, type Tags } from '#lib/contract';
import { bodyHashOf, createDedupStore, createPostgresKeyTable, dedupKeyOf, type KeyMemory } from '#lib/dedup-store';
import { ifDeleted, TenantDeleted } from '#lib/erasure';
import { insertEvents, reservedInstants, run, takeClocks } from '#lib/event-store';
import type { Query } from '#lib/postgres';

export interface PublishedEvent {
  tenant: string;
  id: string;
  receiptId: string;
  type: string;
  payload: Buffer;
  /** The publisher's own identifier, published once; null: no deduplication. */
  eventId: string | null;
  /** The dedup key of an event without an identifier: of no other. */
  randomKey: Buffer;
  orderingKey: string | null;
  tags: Tags;
  traceparent: string;
  nowMs: number;
}

/** Redis has copies of dedup's keys, and dedup never sees these. */
const noMemory: KeyMemory = { recall: async (keys) => keys.map(() => undefined), remember: async () => undefined };

// In the order in which they came: of an ordering key that is the order of publication.
const insertOutboxSql = `
WITH written AS (
  INSERT INTO outbox (tenant, event_id, ordering_key)
  SELECT $1::text, event_id, ordering_key
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS t (event_id, ordering_key, n)
   ORDER BY n
)
${ifDeleted('$1')}`;

/**
 * Events that were not received by the ingress: each exists, with its payload and its row of the outbox, when its transaction commits. Must
 * come first in the transaction, like everything that takes a tenant's clock. A handful of round trips for any number of events.
 *
 * @param events of one tenant
 * @returns for each the id of the event with its identifier: another event's, if that was published earlier and is remembered
 * @throws TenantDeleted: a request may have been let in before the deletion
 */
export async function insertPublishedEvents(tx: Query, events: readonly PublishedEvent[]): Promise<string[]> {
  const tenant = events[0]?.tenant ?? '';
  const [clock] = await run(tx, takeClocks, [{ tenant, n: events.length }]);
  const instants = reservedInstants(clock, events.length);
  const ids = await holdersOf(tx, events);
  const rows = events.flatMap((event, at) => (ids[at] === event.id ? [rowOf(event, instants[at] as string)] : []));
  await run(tx, insertEvents, rows);
  const deleted = await tx.query(
    insertOutboxSql,
    [tenant, rows.map((row) => row.id), rows.map((row) => row.ordering_key)],
    'outbox_insert',
  );
  if (deleted.length > 0) throw new TenantDeleted(tenant);
  return ids;
}

/** An event without an identifier needs no row, since it has no duplicates. */
async function holdersOf(tx: Query, events: readonly PublishedEvent[]): Promise<string[]> {
  const firsts = new Map<string, ReturnType<typeof candidateOf>>();
  for (const event of events)
    if (event.eventId !== null && !firsts.has(event.eventId)) firsts.set(event.eventId, candidateOf(event));
  const holders = new Map<string, string>();
  if (firsts.size > 0) {
    const store = createDedupStore({ memory: noMemory, table: createPostgresKeyTable(tx) });
    const verdicts = await store.decide([...firsts.values()]);
    [...firsts].forEach(([eventId, candidate], at) =>
      holders.set(eventId, verdicts[at]?.holder.eventId ?? candidate.eventId),
    );
  }
  return events.map(({ id, eventId }) => (eventId === null ? id : (holders.get(eventId) ?? id)));
}

const candidateOf = (event: PublishedEvent) => ({
  tenant: event.tenant,
  key: keyOf(event),
  origin: originOf(event),
  eventId: event.id,
  bodyHash: bodyHashOf(hash('sha256', event.payload, 'buffer')),
  receivedAt: event.nowMs * 1_000,
  ttlSeconds: sourceDefaults.dedup_ttl_seconds,
});

const originOf = ({ id }: PublishedEvent): string => `api:${id}`;

const keyOf = ({ tenant, eventId, randomKey }: PublishedEvent): Buffer =>
  eventId === null ? randomKey : dedupKeyOf(tenant, publishedSourceId, { kind: 'text', text: eventId });

const rowOf = (event: PublishedEvent, updatedAt: string) => ({
  tenant: event.tenant,
  id: event.id,
  source_id: publishedSourceId,
  event_id: event.eventId,
  type: event.type,
  receipt_id: event.receiptId,
  origin: originOf(event),
  dedup_key: keyOf(event),
  body_hash: bodyHashOf(hash('sha256', event.payload, 'buffer')),
  received_at: formatMicros(event.nowMs * 1_000),
  updated_at: updatedAt,
  ordering_key: event.orderingKey,
  traceparent: event.traceparent,
  tags: Object.keys(event.tags).length === 0 ? null : JSON.stringify(event.tags),
  content_type: 'application/json',
  content_encoding: null,
  payload: event.payload,
});
