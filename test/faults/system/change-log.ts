import { createPostgres } from '#lib/postgres';
import { parseRfc3339, silentLogger } from '#lib/runtime';
import type { Change } from '../checker/history.ts';

/** Every state that an event has had, kept beside the tables: they themselves know the last one alone. */
export interface ChangeLog {
  changes(): Promise<Change[]>;
  close(): Promise<void>;
}

/** In the transaction that makes the change, so that none is missed and none is there that was not. Pollers read one tenant's. */
const keepChanges = `
  CREATE TABLE changes_of_events (event_id text NOT NULL, updated_at timestamptz NOT NULL);
  CREATE FUNCTION keep_changes_of_events() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO changes_of_events SELECT id, updated_at FROM written WHERE tenant = 'default';
    RETURN NULL;
  END $$;
  CREATE TRIGGER keep_inserts AFTER INSERT ON events REFERENCING NEW TABLE AS written
     FOR EACH STATEMENT EXECUTE FUNCTION keep_changes_of_events();
  CREATE TRIGGER keep_updates AFTER UPDATE ON events REFERENCING NEW TABLE AS written
     FOR EACH STATEMENT EXECUTE FUNCTION keep_changes_of_events();`;

export async function startChangeLog(url: string): Promise<ChangeLog> {
  const postgres = createPostgres({
    url,
    applicationName: 'change-log',
    maxConnections: 1,
    statementTimeoutMs: 60_000,
    log: silentLogger,
  });
  await postgres.start();
  await postgres.query(keepChanges);
  return {
    async changes() {
      // An update may leave the time as it is: then nothing that a poller sees has changed.
      const rows = await postgres.query<{ eventId: string; updatedAt: string }>(
        'SELECT DISTINCT event_id AS "eventId", updated_at AS "updatedAt" FROM changes_of_events ORDER BY updated_at',
      );
      return rows.map((row) => ({ ...row, atMs: (parseRfc3339(row.updatedAt) ?? Number.NaN) / 1_000 }));
    },
    close: () => postgres.stop(),
  };
}
