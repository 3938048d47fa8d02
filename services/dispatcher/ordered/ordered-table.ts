/**
 * Reads, writes and removes the ordered rows of `waiting`, for the owner of their partition.
 *
 * A key is blocked while it has a row. Its first row, by sequence, is the one that may be sent, and has a due time; later rows are due at
 * infinity, so a search for due rows finds one per key. Each change keeps this: it writes rows after another with infinity, then makes the
 * first row of each touched key due, and no later one.
 *
 * Changes of one partition are serialized by a lock: a paused earlier owner may still write a row, which is then sent once more, but can't
 * leave a key whose first row is never due.
 */
import {
  columnNames,
  listed,
  run,
  type Statement,
  type StoredWaitingRow,
  unnested,
  waitingColumns as tableColumns,
} from '#lib/event-store';
import type { Postgres, Query } from '#lib/postgres';
import type { Order } from '../model/ordering.ts';
import {
  keyBytes,
  type OrderedRow,
  type RowRef,
  storedRowOf,
  waitingColumns,
  waitingRowOf,
} from '../model/waiting-row.ts';
import { hasRowEnded, payloadBytesOfRow } from '../waiting/row-conditions.ts';

/** A delivery whose place in the order is asked for. */
export interface AskedDelivery {
  tenant: string;
  id: string;
  endpointId: string;
  order: Order;
}

/** A key whose first rows are wanted. */
export interface AskedKey {
  tenant: string;
  endpointId: string;
  key: string;
  rows: number;
}

/** A recovered endpoint, in owned partitions. */
export interface Woken {
  tenant: string;
  endpointId: string;
  partitions: readonly number[];
}

export interface OrderedTurn {
  rows: readonly OrderedRow[];
  removed: readonly RowRef[];
  asked: readonly AskedDelivery[];
  keys: readonly AskedKey[];
  woken: readonly Woken[];
}

/** The answers of a turn, after its changes. */
export interface TurnAnswer {
  /** Answers to `asked`. */
  places: Place[];
  /** The first rows of each key, in their order. */
  lines: QueuedRow[][];
}

/** A row with its place in the order. */
export interface QueuedRow extends OrderedRow {
  /** 0 if its event, or the payload, is not in the tables. */
  payloadBytes: number;
  /** The tables know that its delivery has ended. */
  ended: boolean;
}

/** The table's answer about a delivery. */
export interface Place {
  /** A row of its key exists. */
  blocked: boolean;
  /** It waits or has ended: it resumes from its row, not from its record. */
  known: boolean;
}

export interface OrderedTable {
  /** Applies all or nothing; answers in the order of the questions. @throws AppError store_unavailable, data_invalid */
  apply(turn: OrderedTurn): Promise<TurnAnswer>;
}

/** The first half of the lock's name; the second is the partition. */
const lockClass = 0x686b6f72;

const lockPartitions = `
  SELECT pg_advisory_xact_lock(${lockClass}, partition)
    FROM (SELECT DISTINCT partition FROM unnest($1::int[]) AS t (partition) ORDER BY partition) AS concerned`;

const removeRows = `
  DELETE FROM waiting w
   USING unnest($1::text[], $2::text[], $3::int[]) AS done (tenant, delivery_id, step)
   WHERE w.tenant = done.tenant AND w.delivery_id = done.delivery_id AND w.step <= done.step`;

/** Inserts after existing rows; a row of the same change is left to the next statement. */
const writeRows: Statement<StoredWaitingRow> = {
  name: 'write-ordered-rows',
  columns: columnNames(tableColumns),
  text: `
  INSERT INTO waiting AS known (${listed(tableColumns)})
  SELECT i.tenant, i.delivery_id, i.partition, i.endpoint_id, i.event_id, i.generation, i.state,
         CASE WHEN EXISTS (SELECT FROM waiting w
                            WHERE w.tenant = i.tenant AND w.endpoint_id = i.endpoint_id
                              AND w.ordering_key = i.ordering_key AND w.sequence < i.sequence)
              THEN 'infinity' ELSE i.due_at END,
         i.step, i.attempts, i.created_at, i.ordering_key, i.sequence, i.not_before
    FROM ${unnested(tableColumns, 'i')}
  ON CONFLICT (tenant, delivery_id) DO UPDATE
     SET state = EXCLUDED.state, due_at = EXCLUDED.due_at, step = EXCLUDED.step, attempts = EXCLUDED.attempts,
         not_before = EXCLUDED.not_before
   WHERE known.step < EXCLUDED.step`,
};

/**
 * Looks at as many rows of each key, from its first on, as a change of so many can have put in a wrong place: the new ones that came before all
 * others, the one that was the first until then, and the one that is now.
 */
const setDueTimes = `
  UPDATE waiting w
     SET due_at = CASE WHEN s.place = 1 THEN clock_timestamp() ELSE 'infinity' END
    FROM unnest($1::text[], $2::text[], $3::bytea[], $4::int[]) AS touched (tenant, endpoint_id, ordering_key, changes)
   CROSS JOIN LATERAL (
     SELECT r.tenant, r.delivery_id, r.due_at, row_number() OVER (ORDER BY r.sequence) AS place
       FROM waiting r
      WHERE r.tenant = touched.tenant AND r.endpoint_id = touched.endpoint_id AND r.ordering_key = touched.ordering_key
      ORDER BY r.sequence
      LIMIT touched.changes + 2) AS s
   WHERE w.tenant = s.tenant AND w.delivery_id = s.delivery_id AND (s.place = 1) <> isfinite(s.due_at)`;

/** The first row of each key may have hours to wait, and the rest of the key with it. */
const wakeRows = `
  UPDATE waiting w
     SET due_at = greatest(clock_timestamp(), w.not_before)
    FROM unnest($3::int[]) AS owned (partition)
   WHERE w.partition = owned.partition AND w.tenant = $1 AND w.endpoint_id = $2
     AND w.due_at > clock_timestamp() AND w.due_at < 'infinity' AND w.ordering_key IS NOT NULL`;

const findPlaces = `
  SELECT EXISTS (SELECT FROM waiting w
                  WHERE w.tenant = a.tenant AND w.endpoint_id = a.endpoint_id AND w.ordering_key = a.ordering_key) AS blocked,
         EXISTS (SELECT FROM waiting w WHERE w.tenant = a.tenant AND w.delivery_id = a.id)
         OR EXISTS (SELECT FROM deliveries d WHERE d.tenant = a.tenant AND d.id = a.id AND d.step > 0) AS known
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) WITH ORDINALITY AS a (tenant, id, endpoint_id, ordering_key, place)
   ORDER BY a.place`;

const findLines = `
  SELECT asked.place::int AS asked, next.*
    FROM unnest($1::text[], $2::text[], $3::bytea[], $4::int[]) WITH ORDINALITY AS asked (tenant, endpoint_id, ordering_key, rows, place)
   CROSS JOIN LATERAL (
     SELECT ${waitingColumns}, ${payloadBytesOfRow} AS payload_bytes, ${hasRowEnded} AS ended
       FROM waiting w
      WHERE w.tenant = asked.tenant AND w.endpoint_id = asked.endpoint_id AND w.ordering_key = asked.ordering_key
      ORDER BY w.sequence
      LIMIT asked.rows) AS next
   ORDER BY asked.place, next.sequence`;

/** @param indexScanPool has the settings of lanes-with-rows.ts */
export function createOrderedTable(postgres: Pick<Postgres, 'transaction'>, indexScanPool: Query): OrderedTable {
  return {
    async apply({ keys, ...changes }) {
      const places = await change(changes);
      return { places, lines: await findLinesOf(indexScanPool, keys) };
    },
  };

  async function change({ rows, removed, asked, woken }: Omit<OrderedTurn, 'keys'>): Promise<Place[]> {
    if (rows.length + removed.length + asked.length + woken.length === 0) return [];
    return postgres.transaction(async (tx) => {
      const partitions = [...rows, ...removed].map(({ order }) => order.partition);
      if (partitions.length > 0) await tx.query(lockPartitions, [partitions], 'lock-partitions');
      if (removed.length > 0) await remove(tx, removed);
      if (rows.length > 0) await write(tx, rows);
      if (partitions.length > 0) await setDue(tx, [...rows, ...removed]);
      for (const { tenant, endpointId, partitions: owned } of woken)
        await tx.query(wakeRows, [tenant, endpointId, owned], 'wake-ordered-rows');
      return findPlacesOf(tx, asked);
    });
  }
}

async function remove(tx: Query, rows: readonly RowRef[]): Promise<void> {
  await tx.query(
    removeRows,
    [rows.map(({ tenant }) => tenant), rows.map(({ deliveryId }) => deliveryId), rows.map(({ step }) => step)],
    'remove-ordered-rows',
  );
}

async function write(tx: Query, rows: readonly OrderedRow[]): Promise<void> {
  // A statement can't write a row twice.
  const latest = new Map<string, OrderedRow>();
  for (const row of rows) {
    const key = `${row.tenant}/${row.deliveryId}`;
    if ((latest.get(key)?.step ?? 0) < row.step) latest.set(key, row);
  }
  await run(tx, writeRows, latest.values().map(storedRowOf).toArray());
}

async function setDue(tx: Query, changes: readonly Pick<RowRef, 'tenant' | 'endpointId' | 'order'>[]): Promise<void> {
  const keys = [
    ...Map.groupBy(changes, ({ tenant, endpointId, order }) => `${tenant}/${endpointId}/${order.key}`).values(),
  ];
  const first = keys.flatMap(([change]) => (change === undefined ? [] : [change]));
  await tx.query(
    setDueTimes,
    [
      first.map(({ tenant }) => tenant),
      first.map(({ endpointId }) => endpointId),
      first.map(({ order }) => keyBytes(order)),
      keys.map(({ length }) => length),
    ],
    'set-due-times',
  );
}

async function findPlacesOf(tx: Query, asked: readonly AskedDelivery[]): Promise<Place[]> {
  if (asked.length === 0) return [];
  const values = [
    asked.map(({ tenant }) => tenant),
    asked.map(({ id }) => id),
    asked.map(({ endpointId }) => endpointId),
    asked.map(({ order }) => keyBytes(order)),
  ];
  return tx.query<Place>(findPlaces, values, 'find-places');
}

async function findLinesOf(postgres: Query, keys: readonly AskedKey[]): Promise<QueuedRow[][]> {
  const lines: QueuedRow[][] = keys.map(() => []);
  if (keys.length === 0) return lines;
  const found = await postgres.query<
    StoredWaitingRow & { asked: number; payload_bytes: number | null; ended: boolean }
  >(findLines, [
    keys.map(({ tenant }) => tenant),
    keys.map(({ endpointId }) => endpointId),
    keys.map(keyBytes),
    keys.map(({ rows }) => rows),
  ]);
  for (const { asked, payload_bytes: bytes, ended, ...raw } of found) {
    const { order, ...row } = waitingRowOf(raw);
    if (order !== undefined) lines[asked - 1]?.push({ ...row, order, payloadBytes: bytes ?? 0, ended });
  }
  return lines;
}
