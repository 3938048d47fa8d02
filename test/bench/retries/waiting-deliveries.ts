/** Deliveries that wait, put into the tables as dispatcher and projector would have left them there after one send. */
import { partitionOf } from '#lib/kafka';
import type { Postgres, Query } from '#lib/postgres';
import { createId, formatMicros } from '#lib/runtime';

export interface BenchEndpoint {
  id: string;
  partition: number;
}

export interface WaitingDelivery {
  endpoint: BenchEndpoint;
  dueAtMs: number;
  payload: Buffer;
}

const tenant = 'acme';
const perInsert = 2_000;
const deliveriesPerEvent = 10;
/** The time in ids that are made here: 2026-01-01. */
const idTime = '01kdvdna00';
const filledTables = ['waiting', 'deliveries', 'events'] as const;
/** One row of each delivery that `insertWaiting` makes. */
export const insertedTables = [...filledTables, 'event_payloads', 'fan_outs'] as const;

export const benchEndpoint = (id: string, partitions: number): BenchEndpoint => ({
  id,
  partition: partitionOf(id, partitions),
});

/** Counts the deliveries that `insertWaiting` has made: their ids sort after the others. */
export async function countUnfinished(postgres: Postgres): Promise<{ waiting: number; undelivered: number }> {
  const [counts] = await postgres.query<{ waiting: number; undelivered: number }>(
    `SELECT (SELECT count(*)::int FROM waiting WHERE tenant = '${tenant}' AND delivery_id > $1) AS waiting,
            (SELECT count(*)::int FROM deliveries WHERE tenant = '${tenant}' AND id > $1 AND status <> 'delivered') AS undelivered`,
    [`dlv_${idTime}z`],
  );
  return counts ?? { waiting: 0, undelivered: 0 };
}

export const removeAll = (postgres: Postgres): Promise<unknown> =>
  postgres.query(`TRUNCATE ${insertedTables.join(', ')}, attempts`);

/** Each of an event of its own. */
export async function insertWaiting(postgres: Postgres, deliveries: readonly WaitingDelivery[]): Promise<void> {
  for (let from = 0; from < deliveries.length; from += perInsert)
    await insertSome(postgres, deliveries.slice(from, from + perInsert));
}

async function insertSome(postgres: Postgres, deliveries: readonly WaitingDelivery[]): Promise<void> {
  const nowMs = Date.now();
  const eventIds = deliveries.map(() => createId('evt', nowMs));
  await postgres.transaction(async (tx) => {
    // The projector's clock of the tenant is in use: these events take instants of their own, which are all in the past.
    await tx.query(
      `INSERT INTO events (tenant, id, source_id, type, receipt_id, origin, dedup_key, status, received_at, updated_at, generation, retrying)
       SELECT '${tenant}', id, 'src_1', 'order.created', 'rcp_' || id, id, '\\x00', 'processing', $2,
              (SELECT coalesce(min(updated_at), $2) FROM events WHERE tenant = '${tenant}') - n * interval '1 microsecond', 0, 1
         FROM unnest($1::text[]) WITH ORDINALITY AS e (id, n)`,
      [eventIds, formatMicros(nowMs * 1_000)],
    );
    await tx.query(
      `INSERT INTO event_payloads (tenant, event_id, received_at, content_type, body)
       SELECT '${tenant}', id, $2, 'application/json', body FROM unnest($1::text[], $3::bytea[]) AS e (id, body)`,
      [eventIds, formatMicros(nowMs * 1_000), deliveries.map(({ payload }) => payload)],
    );
    await tx.query(
      `INSERT INTO fan_outs (tenant, event_id, generation) SELECT '${tenant}', id, 0 FROM unnest($1::text[]) AS e (id)`,
      [eventIds],
    );
    const values = [
      deliveries.map(() => createId('dlv', nowMs)),
      eventIds,
      deliveries.map(({ endpoint }) => endpoint.id),
      deliveries.map(({ endpoint }) => endpoint.partition),
      deliveries.map(({ dueAtMs }) => formatMicros(Math.round(dueAtMs * 1_000))),
    ];
    const rows = `unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::timestamptz[]) AS d (id, event_id, endpoint_id, partition, due_at)`;
    await tx.query(
      `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, attempts, created_at, updated_at, next_attempt_at)
       SELECT '${tenant}', id, event_id, endpoint_id, 0, 'retrying', 1, 1, now(), now(), due_at FROM ${rows}`,
      values,
    );
    await tx.query(
      `INSERT INTO waiting (tenant, delivery_id, partition, endpoint_id, event_id, generation, state, due_at, step, attempts, created_at)
       SELECT '${tenant}', id, partition, endpoint_id, event_id, 0, 'retrying', due_at, 1, 1, now() FROM ${rows}`,
      values,
    );
  });
}

/** So many, over all of these endpoints, due in one to two days; created within the last twelve hours, ten of each event, one in ten parked. */
export async function fillFarFuture(
  postgres: Postgres,
  count: number,
  endpoints: readonly BenchEndpoint[],
): Promise<void> {
  const partitions = endpoints.map(({ partition }) => partition);
  const ids = endpoints.map(({ id }) => id);
  const numbered = (prefix: string, n: string): string => `'${prefix}_${idTime}' || lpad(to_hex(${n}), 16, '0')`;
  const eventId = numbered('evt', `n / ${deliveriesPerEvent}`);
  const endpoint = `unnest($2::text[], $3::int[]) WITH ORDINALITY AS e (id, partition, at)`;
  const rows = `generate_series(0, $1::bigint - 1) AS n JOIN ${endpoint} ON e.at = 1 + n % ${endpoints.length}`;
  const events = Math.ceil(count / deliveriesPerEvent);
  const receivedAt = `now() - interval '12 hours' + n * interval '1 microsecond'`;

  await postgres.transaction(async (tx) => {
    const restoreIndexes = await dropIndexes(tx);
    await tx.query(
      `INSERT INTO waiting (tenant, delivery_id, partition, endpoint_id, event_id, generation, state, due_at, step, attempts, created_at)
       SELECT '${tenant}', ${numbered('dlv', 'n')}, e.partition, e.id, ${eventId}, 0,
              CASE WHEN random() < 0.1 THEN 'parked' ELSE 'retrying' END, now() + (1 + random()) * interval '1 day', 1, 1,
              now() - random() * interval '12 hours'
         FROM ${rows}`,
      [count, ids, partitions],
    );
    await tx.query(
      `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, attempts, created_at, updated_at, next_attempt_at)
       SELECT w.tenant, w.delivery_id, w.event_id, w.endpoint_id, 0, w.state, 1, 1, w.created_at, w.created_at, w.due_at
         FROM waiting w
        WHERE w.delivery_id LIKE 'dlv\\_${idTime}%'`,
    );
    await tx.query(
      `INSERT INTO events (tenant, id, source_id, type, receipt_id, origin, dedup_key, status, received_at, updated_at, generation, retrying)
       SELECT '${tenant}', ${numbered('evt', 'n')}, 'src_1', 'order.created', 'rcp_' || n, 'o-' || n, '\\x00', 'processing',
              ${receivedAt}, ${receivedAt}, 0, ${deliveriesPerEvent}
         FROM generate_series(0, $1::bigint - 1) AS n`,
      [events],
    );
    await tx.query(
      `INSERT INTO event_payloads (tenant, event_id, received_at, content_type, body)
       SELECT '${tenant}', ${numbered('evt', 'n')}, ${receivedAt}, 'application/json', convert_to(repeat(md5(n::text), 8), 'UTF8')
         FROM generate_series(0, $1::bigint - 1) AS n`,
      [events],
    );
    await restoreIndexes();
  });
  // As the server does by itself where rows come over days.
  await postgres.query('VACUUM (ANALYZE) waiting, deliveries, events, event_payloads');
}

/** An index that is made at the end takes a fraction of the time of one that grows row by row. */
async function dropIndexes(tx: Query): Promise<() => Promise<void>> {
  const indexes = await tx.query<{ name: string; definition: string; constraint: string | null; table: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition, c.conname AS constraint,
            i.indrelid::regclass::text AS table
       FROM pg_index i
       LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
      WHERE i.indrelid = ANY ($1::text[]::regclass[])`,
    [filledTables],
  );
  const plain = indexes.filter(({ constraint }) => constraint === null);
  for (const { name } of plain) await tx.query(`DROP INDEX ${name}`);
  return async () => {
    await tx.query(`SET LOCAL maintenance_work_mem = '1GB'`);
    for (const { definition } of plain) await tx.query(definition);
  };
}
