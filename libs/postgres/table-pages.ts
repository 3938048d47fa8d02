import { AppError } from '#lib/runtime';
import type { Query } from './postgres.ts';

/** Their columns `changed_in`, `changed_at` and `buried` are kept by triggers (deploy/postgres/migrations). */
export type FollowedTableName = 'sources' | 'endpoints' | 'api_keys' | 'sessions' | 'tenants' | 'erased';

export interface Key {
  tenant: string;
  id: string;
}

/** A reader's position in a table's changes. */
export interface Position {
  /** All that is visible in it has been read. */
  snapshot: string;
  /** Changes with the server, and with each of its starts. */
  server: string;
  /** Changes with the connection. */
  backend: number;
  /** The clock of Postgres before the snapshot was taken: what was committed by then is visible in it. RFC 3339. */
  as_of: string;
}

/** A key with what says whether its row is known, and how large it is. */
interface ChangedKey extends Key {
  changed_at: string;
  buried: boolean;
  bytes: number;
}

interface Pages<Row> {
  position(): Promise<Position>;
  /** The next rows by their key that are not buried; none: that was the last page. */
  after(key: Key | undefined): Promise<Row[]>;
  /** The changes that are not visible in the snapshot, and the position after reading them. */
  changedSince(snapshot: string): Promise<{ position: Position; rows: ChangedKey[] }>;
  /** As they are now. */
  ofKeys(keys: readonly ChangedKey[]): AsyncIterable<Row[]>;
  ofIds(ids: readonly string[], postgres: Query): Promise<Row[]>;
}

interface Options {
  table: FollowedTableName;
  columns: string;
  /** An expression. */
  bytes: string;
  postgres: Query;
}

const pageRows = 1_000;
const pageBytes = 4 * 1024 * 1024;
/**
 * Transactions, at the least, that are looked at again after a connection was lost: one that was rolled back as the last before the server
 * crashed can have left no trace, and then its number is given to another.
 */
const marginTransactions = 1_000n;
const firstTransaction = 3n;

const positionColumns = `pg_current_snapshot()::text AS snapshot, pg_postmaster_start_time() AS server, pg_backend_pid() AS backend, now() AS as_of`;

/** A snapshot in which somewhat less is visible. */
export function withMargin(snapshot: string): string {
  const oldestOpen = BigInt(snapshot.slice(0, snapshot.indexOf(':')));
  const from = oldestOpen - marginTransactions > firstTransaction ? oldestOpen - marginTransactions : firstTransaction;
  return `${from}:${from}:`;
}

/** The statements by which a table is followed. */
export function createTablePages<Row extends Key>({ table, columns, bytes, postgres }: Options): Pages<Row> {
  const after = (from: string): string => `
    SELECT ${columns}
      FROM (SELECT *, sum(${bytes}) OVER (ORDER BY tenant, id) - ${bytes} AS bytes_before
              FROM (SELECT * FROM ${table} WHERE NOT buried AND ${from} ORDER BY tenant, id LIMIT ${pageRows}) AS next
           ) AS page
     WHERE bytes_before < ${pageBytes}
     ORDER BY tenant, id`;
  // Numbers above those of this server are in rows that were restored from another; they have been read with the whole.
  const changed = `
    SELECT now.*, changed.*
      FROM (SELECT ${positionColumns}) AS now
      LEFT JOIN (
        SELECT tenant, id, changed_at, buried, ${bytes} AS bytes
          FROM ${table}
         WHERE changed_in >= pg_snapshot_xmin($1::pg_snapshot) AND changed_in < pg_snapshot_xmax(pg_current_snapshot())
           AND NOT pg_visible_in_snapshot(changed_in, $1::pg_snapshot)
      ) AS changed ON true`;
  const ofKeys = `
    SELECT ${columns}
      FROM ${table}
      JOIN unnest($1::text[], $2::text[]) AS wanted (tenant, id) USING (tenant, id)`;

  return {
    async position() {
      const [now] = await postgres.query<Position>(`SELECT ${positionColumns}`);
      if (now === undefined) throw new AppError('bug', 'Postgres says nothing of its snapshot');
      return now;
    },
    after: (key) =>
      key === undefined
        ? postgres.query<Row>(after('true'))
        : postgres.query<Row>(after('(tenant, id) > ($1, $2)'), [key.tenant, key.id]),
    async changedSince(snapshot) {
      const rows = await postgres.query<Position & (ChangedKey | { id: null })>(changed, [snapshot]);
      const [now] = rows;
      if (now === undefined) throw new AppError('bug', 'Postgres says nothing of its snapshot');
      const { server, backend, as_of } = now;
      return {
        position: { snapshot: now.snapshot, server, backend, as_of },
        rows: rows.filter((row): row is Position & ChangedKey => row.id !== null),
      };
    },
    async *ofKeys(keys) {
      for (const piece of inPieces(keys))
        yield postgres.query<Row>(ofKeys, [piece.map(({ tenant }) => tenant), piece.map(({ id }) => id)]);
    },
    ofIds: (ids, from) => from.query<Row>(`SELECT ${columns} FROM ${table} WHERE id = ANY ($1::text[])`, [ids]),
  };
}

/** Bounded in rows and in bytes; one that is larger by itself comes alone. */
export function* inPieces<T extends { bytes: number }>(items: readonly T[]): Generator<T[]> {
  let piece: T[] = [];
  let bytes = 0;
  for (const item of items) {
    if (piece.length > 0 && (piece.length >= pageRows || bytes + item.bytes > pageBytes)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += item.bytes;
  }
  if (piece.length > 0) yield piece;
}
