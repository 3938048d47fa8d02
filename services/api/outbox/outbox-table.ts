import { createPostgresKeyTable } from '#lib/dedup-store';
import type { Postgres, Query } from '#lib/postgres';
import type { DoneRow, OutboxEvent } from './outbox-event.ts';

/** An unpublished event as it is read for a sweep. */
export interface StoredEvent extends OutboxEvent {
  /** A bigint, as text. */
  sequence: string;
}

/** An ordering key; also the place where the last round of them ended. */
export interface KeyCursor {
  tenant: string;
  ordering_key: string;
}

/** All methods @throw AppError store_unavailable. */
export interface OutboxTable {
  /** Whether there is a row that nobody has claimed, or whose claim is over. */
  hasFree(): Promise<boolean>;
  /** Events without an ordering key, the oldest first. */
  claimUnordered(limit: number): Promise<StoredEvent[]>;
  /** The first event of each unclaimed ordering key after `from`, in the order of keys. */
  claimOrdered(limit: number, from: KeyCursor | undefined): Promise<StoredEvent[]>;
  /** The first event of each of these ordering keys, unless that is claimed. */
  claimKeys(keys: readonly KeyCursor[]): Promise<StoredEvent[]>;
  /** The one that follows it in its ordering key. It is claimed with the first. */
  findNext(event: StoredEvent): Promise<StoredEvent | undefined>;
  /**
   * These are on their topic: their identifiers are remembered for their time from now on. Rows that another process has claimed since stay: it
   * is about to publish them, and an event that follows must wait for that.
   */
  remove(done: readonly DoneRow[]): Promise<void>;
  /** Returns claims to others; rows that another process has claimed since stay claimed. */
  release(claimed: readonly ClaimedRow[]): Promise<void>;
  measure(): Promise<{ unpublished: number; oldestSeconds: number }>;
}

export type ClaimedRow = Pick<OutboxEvent, 'tenant' | 'id' | 'claimed_until'>;

/** Far longer than a record may take: see `sendsEndAfterMs`. */
export const claimSeconds = 30;

/**
 * For a pool of its own. Each step of these statements has an index; but if the table was empty when the planner last looked, it reads and
 * sorts the whole table at each step: 82 s for a backlog of a million, milliseconds by the index.
 */
export const outboxSessionSettings = ['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'].map(
  (way) => `enable_${way}=off`,
);

/** Row by row, from the few that are wanted; of the partitions of payloads, the one of the event's day alone is opened. */
const contents = (outbox: string): string => `
  SELECT e.tenant, e.id, e.source_id, e.event_id, e.type, e.receipt_id, e.origin, e.received_at, e.dedup_key,
         e.ordering_key, e.traceparent, e.tags, payload.content_type, payload.content_encoding, payload.body AS payload, o.sequence, o.claimed_until
    FROM ${outbox} o
    JOIN LATERAL (SELECT * FROM events WHERE tenant = o.tenant AND id = o.event_id LIMIT 1) AS e ON true
    JOIN LATERAL (
           SELECT p.content_type, p.content_encoding, p.body
             FROM event_payloads p
            WHERE p.tenant = e.tenant AND p.event_id = e.id AND p.received_at = e.received_at
            LIMIT 1) AS payload ON true`;

const claimOf = (free: string): string => `
  free AS (${free}
  ), claimed AS (
    UPDATE outbox o SET claimed_until = clock_timestamp() + interval '${claimSeconds} seconds'
     WHERE o.ctid = ANY (ARRAY (SELECT place FROM free))
    RETURNING o.tenant, o.event_id, o.sequence, o.claimed_until
  )${contents('claimed')}`;

const hasFreeSql = 'SELECT FROM outbox WHERE claimed_until <= clock_timestamp() LIMIT 1';

const claimUnorderedSql = `
  WITH ${claimOf(`
    SELECT o.ctid AS place
      FROM outbox o
     WHERE o.ordering_key IS NULL AND o.claimed_until <= clock_timestamp()
     ORDER BY o.sequence
     LIMIT $1
       FOR UPDATE SKIP LOCKED`)}
   ORDER BY o.sequence`;

const firstOfKey = `
             SELECT f.tenant, f.event_id, f.claimed_until
               FROM outbox f
              WHERE f.tenant = keys.tenant AND f.ordering_key = keys.ordering_key
              ORDER BY f.sequence
              LIMIT 1`;

const lockFirsts = `
    SELECT locked.place
      FROM firsts
      JOIN LATERAL (
             SELECT o.ctid AS place
               FROM outbox o
              WHERE o.tenant = firsts.tenant AND o.event_id = firsts.event_id AND o.claimed_until <= clock_timestamp()
                FOR UPDATE SKIP LOCKED) AS locked ON true`;

/*
 * Walks from key to key along the index, however many rows each has. The first row of a key exists until it is published, so the holder of
 * its claim is the only publisher of the key.
 */
const claimOrderedSql = `
  WITH RECURSIVE keys AS (
    (SELECT tenant, ordering_key
       FROM outbox
      WHERE ordering_key IS NOT NULL AND (tenant, ordering_key) > ($2::text, $3::text)
      ORDER BY tenant, ordering_key
      LIMIT 1)
    UNION ALL
    SELECT next.tenant, next.ordering_key
      FROM keys
      JOIN LATERAL (
             SELECT n.tenant, n.ordering_key
               FROM outbox n
              WHERE n.ordering_key IS NOT NULL AND (n.tenant, n.ordering_key) > (keys.tenant, keys.ordering_key)
              ORDER BY n.tenant, n.ordering_key
              LIMIT 1) AS next ON true
  ), firsts AS (
    SELECT first.tenant, first.event_id
      FROM keys
      JOIN LATERAL (${firstOfKey}) AS first ON first.claimed_until <= clock_timestamp()
     LIMIT $1
  ), ${claimOf(lockFirsts)}
   ORDER BY e.tenant, e.ordering_key`;

const claimKeysSql = `
  WITH firsts AS (
    SELECT first.tenant, first.event_id
      FROM unnest($1::text[], $2::text[]) AS keys (tenant, ordering_key)
      JOIN LATERAL (${firstOfKey}) AS first ON first.claimed_until <= clock_timestamp()
  ), ${claimOf(lockFirsts)}`;

const findNextSql = `
  ${contents(`(
    SELECT tenant, event_id, sequence, claimed_until
      FROM outbox
     WHERE tenant = $1 AND ordering_key = $2 AND sequence > $3::bigint
     ORDER BY sequence
     LIMIT 1)`)}`;

export function createOutboxTable(postgres: Pick<Postgres, 'query' | 'transaction'>): OutboxTable {
  const read = (sql: string, values: readonly unknown[], name: string): Promise<StoredEvent[]> =>
    postgres.query<StoredEvent>(sql, values, name);
  return {
    hasFree: async () => (await postgres.query(hasFreeSql, [], 'outbox_has_free')).length > 0,
    claimUnordered: (limit) => read(claimUnorderedSql, [limit], 'outbox_claim_unordered'),
    claimOrdered: (limit, from) =>
      read(claimOrderedSql, [limit, from?.tenant ?? '', from?.ordering_key ?? ''], 'outbox_claim_ordered'),
    claimKeys(keys) {
      const columns = [keys.map(({ tenant }) => tenant), keys.map(({ ordering_key }) => ordering_key)];
      return read(claimKeysSql, columns, 'outbox_claim_keys');
    },
    async findNext({ tenant, ordering_key, sequence }) {
      const [next] = await read(findNextSql, [tenant, ordering_key, sequence], 'outbox_find_next');
      return next;
    },
    async remove(done) {
      // Most have no identifier: one statement, and no transaction around it.
      if (done.every(({ candidate }) => candidate === undefined)) return void (await removeRows(postgres, done));
      const removeAndComplete = async (tx: Query): Promise<void> => {
        // A row that is gone was erased, or is another's now: its key is not to be written.
        const removed = await removeRows(tx, done);
        const identified = done.flatMap(({ id, candidate }) =>
          candidate === undefined || !removed.has(id) ? [] : [candidate],
        );
        if (identified.length > 0) await createPostgresKeyTable(tx).complete(identified);
      };
      await postgres.transaction(removeAndComplete, { isPipelined: true });
    },
    async release(claimed) {
      await postgres.query(
        `UPDATE outbox o SET claimed_until = '-infinity'
           FROM ${claimsOf('ours')}
          WHERE ${isSameClaim('ours')}`,
        claimColumns(claimed),
        'outbox_release',
      );
    },
    async measure() {
      const [row] = await postgres.query<{ unpublished: number; oldest: number }>(
        `SELECT count(*)::int AS unpublished,
                coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS oldest
           FROM outbox`,
      );
      return { unpublished: row?.unpublished ?? 0, oldestSeconds: row?.oldest ?? 0 };
    },
  };
}

/** @returns the ids of the events whose rows were there, with these claims */
async function removeRows(query: Query, done: readonly DoneRow[]): Promise<ReadonlySet<string>> {
  const removed = await query.query<{ event_id: string }>(
    `DELETE FROM outbox o USING ${claimsOf('done')} WHERE ${isSameClaim('done')} RETURNING o.event_id`,
    claimColumns(done),
    'outbox_remove',
  );
  return new Set(removed.map(({ event_id }) => event_id));
}

const claimsOf = (name: string): string =>
  `unnest($1::text[], $2::text[], $3::timestamptz[]) AS ${name} (tenant, event_id, claimed_until)`;

const isSameClaim = (name: string): string =>
  `o.tenant = ${name}.tenant AND o.event_id = ${name}.event_id AND o.claimed_until = ${name}.claimed_until`;

const claimColumns = (rows: readonly ClaimedRow[]): unknown[] => [
  rows.map(({ tenant }) => tenant),
  rows.map(({ id }) => id),
  rows.map(({ claimed_until }) => claimed_until),
];
