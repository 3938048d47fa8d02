/**
 * Measures what becomes of the database in the long run: how large it grows, and what keeps it from being tidied up. Every projector does,
 * and all of them say the same.
 */
import type { Query } from '#lib/postgres';
import { type Clock, inRounds, type Logger, type Part } from '#lib/runtime';
import type { ProjectorMetrics } from './metrics.ts';

interface Deps {
  postgres: Query;
  /** The size that the database may grow to; 0: not known. */
  maxBytes: number;
  clock: Clock;
  log: Logger;
  metrics: ProjectorMetrics;
}

/** The sizes are read file by file: some milliseconds for a thousand partitions. */
const everyMs = 30_000;

const databaseSql = `
  SELECT pg_database_size(current_database())::float8 AS bytes,
         age(d.datfrozenxid)::float8 AS transaction_age,
         current_setting('max_connections')::float8 AS max_sessions,
         s.sessions::float8,
         s.oldest_snapshot::float8
    FROM pg_database d,
         (SELECT count(*) AS sessions,
                 coalesce(extract(epoch FROM clock_timestamp() - min(xact_start) FILTER (
                   WHERE datname = current_database() AND pid <> pg_backend_pid()
                     AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL))), 0) AS oldest_snapshot
            FROM pg_stat_activity
           WHERE backend_type = 'client backend') s
   WHERE d.datname = current_database()`;

const tablesSql = `
  SELECT regexp_replace(relname, '_(\\d{8}|default)$', '') AS "table", sum(pg_total_relation_size(oid))::float8 AS bytes
    FROM pg_class
   WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
   GROUP BY 1`;

interface DatabaseRow {
  bytes: number;
  transaction_age: number;
  sessions: number;
  max_sessions: number;
  oldest_snapshot: number;
}

export function watchDatabase({ postgres, maxBytes, clock, log, metrics }: Deps): Part {
  metrics.databaseMaxBytes.set(maxBytes);

  async function measure(): Promise<void> {
    const [database] = await postgres.query<DatabaseRow>(databaseSql);
    if (database !== undefined) {
      metrics.databaseBytes.set(database.bytes);
      metrics.transactionAge.set(database.transaction_age);
      metrics.databaseSessions.set(database.sessions);
      metrics.databaseMaxSessions.set(database.max_sessions);
      metrics.oldestSnapshot.set(database.oldest_snapshot);
    }
    for (const { table, bytes } of await postgres.query<{ table: string; bytes: number }>(tablesSql))
      metrics.tableBytes.set({ table }, bytes);
  }

  return inRounds(measure, { name: 'database vitals', everyMs, clock, log });
}
