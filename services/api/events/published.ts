import { hash } from 'node:crypto';
import { publishedSourceId } from '#lib/contract';
import { bodyHashOf, createDedupStore, createPostgresKeyTable, dedupKeyOf, type KeyMemory } from '#lib/dedup-store';
import { ifDeleted, TenantDeleted } from '#lib/erasure';
import {
  columnNames,
  encode,
  insertEventsFrom,
  newEventColumns,
  run,
  send,
  type Statement,
  takeClocks,
  unnested,
} from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { createId, formatMicros } from '#lib/runtime';
import { candidateOf, type OutboxEvent } from '../outbox/outbox-event.ts';
import { claimSeconds } from '../outbox/outbox-table.ts';
import type { RouteDeps } from '../route.ts';

export type PublishedEvent = Omit<Required<OutboxEvent>, 'claimed_until'>;

/** An event of one's own. The dedup key of one without an identifier is that of no other. */
export function publishedEvent(
  given: Pick<PublishedEvent, 'tenant' | 'type' | 'payload' | 'event_id' | 'ordering_key' | 'tags' | 'traceparent'>,
  { clock, random }: Pick<RouteDeps, 'clock' | 'random'>,
): PublishedEvent {
  const { tenant, event_id: text } = given;
  const nowMs = clock.nowMs();
  const id = createId('evt', nowMs, random);
  return {
    ...given,
    id,
    source_id: publishedSourceId,
    receipt_id: createId('rcp', nowMs, random),
    origin: `api:${id}`,
    received_at: formatMicros(nowMs * 1_000),
    dedup_key: text === null ? random(16) : dedupKeyOf(tenant, publishedSourceId, { kind: 'text', text }),
    body_hash: bodyHashOf(hash('sha256', given.payload, 'buffer')),
    content_type: 'application/json',
    content_encoding: null,
  };
}

/** Redis has copies of dedup's keys, and dedup never sees these. */
const noMemory: KeyMemory = { recall: async (keys) => keys.map(() => undefined), remember: async () => undefined };

/** `behind`: how many instants its own is before the last one of the group. */
const columns = { ...newEventColumns, behind: 'int' } as const;
const [tenantParameter, claimParameter] = [1, 2].map((n) => `$${Object.keys(columns).length + n}`);

/** Nothing is written for a deleted tenant, whose mark was made under the clock. */
const withTheirInstants = `
      SELECT t.*, clock.last_at - t.behind * interval '1 microsecond' AS updated_at
        FROM (SELECT last_at
                FROM tenant_clocks
               WHERE tenant = ${tenantParameter}::text AND NOT EXISTS (${ifDeleted(`${tenantParameter}::text`)})) AS clock
       CROSS JOIN ${unnested(columns, 't')}`;

/** Events with their rows of the outbox, which are numbered as the events came. @param isClaimed whether the row has a claim, if any may */
const insertPublished = (name: string, isClaimed: string): Statement<InsertedRow, ClaimOfRow> => ({
  name,
  columns: columnNames(columns),
  text: `${insertEventsFrom(withTheirInstants)}, queued AS (
      INSERT INTO outbox (tenant, event_id, ordering_key, claimed_until)
      SELECT tenant, id, ordering_key,
             CASE WHEN ${claimParameter}::boolean AND ${isClaimed}
                  THEN clock_timestamp() + interval '${claimSeconds} seconds' ELSE '-infinity' END
        FROM incoming
       ORDER BY behind DESC
      RETURNING event_id, claimed_until
    )
    SELECT event_id, claimed_until FROM queued`,
});

const insertUnordered = insertPublished('insert-published-events', 'true');

/**
 * Rows of the key that are there were written under the clock before, and have not been published: the first of the key alone may be published
 * by whoever inserts it. Its look-up is a step along the index, if sequential scans are off when it is planned (see outboxSessionSettings).
 */
const insertOrdered = insertPublished(
  'insert-ordered-events',
  `(ordering_key IS NULL
                         OR row_number() OVER (PARTITION BY ordering_key ORDER BY behind DESC) = 1
                            AND (SELECT true
                                   FROM outbox earlier
                                  WHERE earlier.tenant = incoming.tenant AND earlier.ordering_key = incoming.ordering_key
                                  LIMIT 1) IS NULL)`,
);
const alongIndexes = `SELECT set_config('enable_seqscan', 'off', true)`;

interface ClaimOfRow {
  event_id: string;
  claimed_until: string;
}

export interface InsertedEvents {
  /** For each the id of the event with its identifier: another event's, if that was published earlier and is remembered. */
  ids: string[];
  /**
   * The new ones with their rows of the outbox, as soon as the statement has answered; a COMMIT may be sent before. A statement that fails, fails
   * the COMMIT. @throws TenantDeleted: a request may have been let in before the deletion; then nothing was written
   */
  inserted: Promise<OutboxEvent[]>;
}

/**
 * Events that were not received by the ingress: each exists, with its payload and its row of the outbox, when its transaction commits. Must
 * come first in the transaction, like everything that takes a tenant's clock. Two statements for any number of events, and one or more for
 * those with an identifier; they need no answer but that about identifiers.
 *
 * @param events of one tenant
 * @param isClaiming whether their rows get claims: outbox/held-events.ts. Of an ordering key the first row alone gets one.
 */
export async function insertPublishedEvents(
  tx: Query,
  events: readonly PublishedEvent[],
  isClaiming: boolean,
): Promise<InsertedEvents> {
  const tenant = events[0]?.tenant ?? '';
  const clock = heardOf(run(tx, takeClocks, [{ tenant, n: events.length }]));
  const ids = await holdersOf(tx, events);
  const isFresh = ({ id }: { id: string }, at: number): boolean => ids[at] === id;
  const fresh = events.filter(isFresh);
  const rows = events.map((event, at) => ({ ...event, tags: tagsText(event), behind: events.length - 1 - at }));
  const deleted = fresh.length === 0 ? heardOf(tx.query(ifDeleted('$1'), [tenant])) : undefined;
  const isOrdered = fresh.some(({ ordering_key }) => ordering_key !== null);
  if (isOrdered) void heardOf(tx.query(alongIndexes));
  const insert = encode(isOrdered ? insertOrdered : insertUnordered, rows.filter(isFresh));
  const answer = heardOf(send(tx, insert, [tenant, isClaiming]));
  const inserted = async (): Promise<OutboxEvent[]> => {
    // The first failure is the cause of all behind it.
    const [, claims, marks = []] = await Promise.all([clock, answer, deleted]);
    if (claims.length < fresh.length || marks.length > 0) throw new TenantDeleted(tenant);
    const claimOf = new Map(claims.map(({ event_id, claimed_until }) => [event_id, claimed_until]));
    return fresh.map((event) => ({ ...event, claimed_until: claimOf.get(event.id) ?? '' }));
  };
  return { ids, inserted: heardOf(inserted()) };
}

/** Its failure is told by the COMMIT, or by whoever waits for it. */
function heardOf<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  return answer;
}

type InsertedRow = Omit<PublishedEvent, 'tags'> & { tags: string | null; behind: number };

/** An event without an identifier needs no row, since it has no duplicates. */
async function holdersOf(tx: Query, events: readonly PublishedEvent[]): Promise<string[]> {
  const firsts = new Map<string, ReturnType<typeof candidateOf>>();
  for (const event of events)
    if (event.event_id !== null && !firsts.has(event.event_id)) firsts.set(event.event_id, candidateOf(event));
  const holders = new Map<string, string>();
  if (firsts.size > 0) {
    const store = createDedupStore({ memory: noMemory, table: createPostgresKeyTable(tx) });
    const verdicts = await store.decide([...firsts.values()]);
    [...firsts].forEach(([eventId, candidate], at) =>
      holders.set(eventId, verdicts[at]?.holder.eventId ?? candidate.eventId),
    );
  }
  return events.map(({ id, event_id }) => (event_id === null ? id : (holders.get(event_id) ?? id)));
}

const tagsText = ({ tags }: Pick<PublishedEvent, 'tags'>): string | null =>
  tags === null || Object.keys(tags).length === 0 ? null : JSON.stringify(tags);
