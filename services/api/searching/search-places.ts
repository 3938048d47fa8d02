/** A tenant's searches at a time, all processes together: each holds a place by an advisory lock, which its transaction gives back. */
import type { Query } from '#lib/postgres';

const nameOf = (tenant: string, place: number): string => `hookline/search/${tenant}/${place}`;

/** @param tx of the search. @returns whether there was a free one */
export async function takePlace(tx: Query, tenant: string, places: number): Promise<boolean> {
  for (let place = 0; place < places; place += 1) {
    const [row] = await tx.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken',
      [nameOf(tenant, place)],
    );
    if (row?.taken === true) return true;
  }
  return false;
}

/** How many of the places are taken. */
export async function countSearches(postgres: Query, tenant: string, places: number): Promise<number> {
  const names = Array.from({ length: places }, (_, place) => nameOf(tenant, place));
  // A lock of one bigint is shown in two halves, with objsubid 1 (pg_locks).
  const [row] = await postgres.query<{ taken: number }>(
    `SELECT count(*)::integer AS taken
       FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32) | objid::bigint IN (SELECT hashtextextended(name, 0) FROM unnest($1::text[]) AS name)`,
    [names],
  );
  return row?.taken ?? 0;
}
