/** Fills the tables with events and deliveries of one tenant, for what reads them as lists. */
import { dedupKeyOf } from '#lib/dedup-store';
import type { Query } from '#lib/postgres';

export const listTenant = 'acme';
/** Event n was received n milliseconds later. */
export const listStartMs = Date.UTC(2026, 0, 1);

/** The ids of libs/runtime, made in the database: the random digits are the number. */
const digit = (place: number): string =>
  `substr('0123456789abcdefghjkmnpqrstvwxyz', ((at_ms >> ${45 - 5 * place}) & 31)::int + 1, 1)`;
const idsInSql = `
  CREATE FUNCTION list_id(prefix text, at_ms bigint, n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT prefix || '_' || ${Array.from({ length: 10 }, (_, place) => digit(place)).join(' || ')} || lpad(n::text, 16, '0')
  $$`;

/**
 * One event a millisecond, with one delivery each:
 *
 *   type      frequent, but a quarter that is former, all among the oldest third; 20 are rare
 *   source    src_odd or src_even by the number; src_former of the oldest third; 20 src_rare
 *   endpoint  as the source
 *   tag       `name:` and the same
 *
 * The last 20 events are received only; of the others, each 20th has died, and each 25th is under way.
 */
export async function fillLists(postgres: Query, count: number): Promise<void> {
  await postgres.query(idsInSql);
  await postgres.query(`
    CREATE FUNCTION list_type(n bigint, of bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
      SELECT CASE WHEN n % greatest(of / 20, 1) = 1 THEN 'rare' WHEN n < of / 3 AND n % 4 <> 0 THEN 'former'
                  WHEN n % 2 = 0 THEN 'frequent' ELSE 'other' END
    $$`);
  await postgres.query(`
    CREATE FUNCTION list_name(n bigint, of bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
      SELECT CASE WHEN n % greatest(of / 20, 1) = 2 THEN 'rare' WHEN n < of / 3 AND n % 4 = 3 THEN 'former'
                  WHEN n % 2 = 0 THEN 'frequent' ELSE 'odd' END
    $$`);
  await postgres.query(`INSERT INTO tenant_clocks (tenant, last_at) VALUES ($1, $2::timestamptz + interval '1 year')`, [
    listTenant,
    new Date(listStartMs).toISOString(),
  ]);
  const values = [listTenant, listStartMs, count];
  await postgres.query(
    `INSERT INTO events (tenant, id, source_id, event_id, type, receipt_id, origin, dedup_key, status, received_at, updated_at, counted,
                         generation, duplicates, duplicates_changed, pending, delivered, dead_lettered, ordering_key, traceparent)
     SELECT $1, list_id('evt', $2::bigint + n, n), 'src_' || list_name(n, $3), 'theirs_' || n, list_type(n, $3), 'rcp_' || n, 'o-' || n,
            decode(md5(n::text), 'hex'),
            CASE WHEN n >= $3 - 20 THEN 'received' WHEN died THEN 'dead_lettered' WHEN open THEN 'processing' ELSE 'completed' END,
            at, at + interval '1 second', true, 0, (n % 30 = 0)::int, (n % 60 = 0)::int, open::int, (NOT died AND NOT open)::int, died::int,
            CASE WHEN n % 10 = 0 THEN 'key_' || (n / 10) % 100 END,
            '00-' || lpad(n::text, 32, '0') || '-' || lpad(n::text, 16, '0') || '-0' || n % 2
       FROM (SELECT n, n % 20 = 0 AS died, n % 25 = 1 AND n < $3 - 20 AS open,
                    to_timestamp($2::float8 / 1000) + n * interval '1 millisecond' AS at
               FROM generate_series(0, $3::bigint - 1) AS n) AS made`,
    values,
  );
  await postgres.query(
    `INSERT INTO event_tags (tenant, tag, event_id)
     SELECT $1, 'name:' || list_name(n, $3), list_id('evt', $2::bigint + n, n) FROM generate_series(0, $3::bigint - 1) AS n`,
    values,
  );
  await postgres.query(
    `INSERT INTO receipts (tenant, origin, receipt_id, event_id, duplicate, settled, dedup_key, body_hash, received_at)
     SELECT tenant, origin, receipt_id, id, false, true, dedup_key, dedup_key, received_at FROM events WHERE tenant = $1`,
    [listTenant],
  );
  await postgres.query(`UPDATE receipts SET dedup_key = $2 WHERE tenant = $1 AND receipt_id = 'rcp_77'`, [
    listTenant,
    dedupKeyOf(listTenant, 'api', { kind: 'text', text: 'theirs_77' }),
  ]);
  await postgres.query(
    `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, attempts, created_at, updated_at,
                             last_outcome, last_http_status)
     SELECT $1, list_id('dlv', $2::bigint + n, n), list_id('evt', $2::bigint + n, n), 'ep_' || list_name(n, $3), 0,
            CASE WHEN died THEN 'dead_lettered' WHEN open AND n % 10000 = 1 THEN 'retrying' WHEN open THEN 'pending' ELSE 'delivered' END,
            1, 1, at, at,
            CASE WHEN open THEN NULL WHEN died THEN 'http_5xx' ELSE 'delivered' END,
            CASE WHEN open THEN NULL WHEN died THEN 503 ELSE 200 END
       FROM (SELECT n, n % 20 = 0 AS died, n % 25 = 1 AS open, to_timestamp($2::float8 / 1000) + n * interval '1 millisecond' AS at
               FROM generate_series(0, $3::bigint - 1) AS n) AS made`,
    values,
  );
  await postgres.query('VACUUM ANALYZE events');
  await postgres.query('VACUUM ANALYZE event_tags');
  await postgres.query('VACUUM ANALYZE deliveries');
  await postgres.query('VACUUM ANALYZE receipts');
}
