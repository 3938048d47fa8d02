import type { Erasure, TenantDeletion } from '#lib/api-contract';
import type { RemovedRows } from '#lib/erasure';
import type { Query } from '#lib/postgres';
import { idPattern } from '../resources/ids.ts';
import type { ErasureFilter } from './choose-events.ts';

/**
 *   marking ──► removing ──► confirming ──► completed
 *
 * `marking`: events that match are marked, and what belongs to them is removed, page by page. `removing`: the same of a deleted tenant, which is
 * marked as a whole. `confirming`: once every transaction that may have begun before the last mark has ended, and every process knows the marks,
 * it is removed again; then come the jobs and stored answers that name it, and the dates of Kafka.
 */
type ErasureState = 'marking' | 'removing' | 'confirming' | 'completed';

export interface ErasureRow extends Omit<Erasure & TenantDeletion, 'status' | 'removed'> {
  kind: 'events' | 'tenant';
  state: ErasureState;
  filter: ErasureFilter | null;
  marked_to: string;
  done_to: string;
  removed: RemovedRows;
}

const columns = `tenant, id, kind, state, filter, filtered_by, event_id, as_of, marked_to, done_to, events, removed,
  dropped::float8 AS dropped, kafka, kept_until, created_at, completed_at`;

const erasureId = idPattern('ers');

const leaseMs = 15_000;
const leaseEnd = `clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;

type NewErasure = Pick<ErasureRow, 'tenant' | 'id' | 'kind' | 'state' | 'filter' | 'event_id' | 'as_of' | 'events'>;

export async function insertErasure(tx: Query, erasure: NewErasure): Promise<ErasureRow> {
  const { tenant, id, kind, state, filter, event_id: eventId, as_of: asOf, events } = erasure;
  const [row] = await tx.query<ErasureRow>(
    `INSERT INTO erasures (tenant, id, kind, state, filter, filtered_by, event_id, as_of, events, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp())
     RETURNING ${columns}`,
    [
      ...[tenant, id, kind, state, filter === null ? null : JSON.stringify(filter)],
      ...[Object.keys(filter ?? {}), eventId, asOf, events],
    ],
  );
  return row as ErasureRow;
}

export async function findErasure(postgres: Query, tenant: string, id: string): Promise<ErasureRow | undefined> {
  if (!erasureId.test(id)) return undefined;
  const [row] = await postgres.query<ErasureRow>(`SELECT ${columns} FROM erasures WHERE tenant = $1 AND id = $2`, [
    tenant,
    id,
  ]);
  return row;
}

/** The erasure that the event was erased by. */
export async function findErasureOf(
  postgres: Query,
  tenant: string,
  erasedId: string,
): Promise<ErasureRow | undefined> {
  const [row] = await postgres.query<ErasureRow>(
    `SELECT ${columns} FROM erasures
      WHERE tenant = $1 AND id = (SELECT x.erasure_id FROM erased x WHERE x.tenant = $1 AND x.id = $2)`,
    [tenant, erasedId],
  );
  return row;
}

type Named = Pick<ErasureRow, 'tenant' | 'id'>;

/** For the request that has made it, until it has removed what belongs to the event. */
export async function leaseNew(tx: Query, { tenant, id }: Named): Promise<void> {
  await tx.query(`UPDATE erasures SET lease_until = ${leaseEnd} WHERE tenant = $1 AND id = $2`, [tenant, id]);
}

export async function leaveToJob(query: Query, { tenant, id }: Named): Promise<void> {
  await query.query('UPDATE erasures SET lease_until = NULL WHERE tenant = $1 AND id = $2 AND lease_owner IS NULL', [
    tenant,
    id,
  ]);
}

/** Records that everything of its one event is removed: the rest is the job's. */
export async function setRemoved(
  query: Query,
  { tenant, id }: Named,
  eventId: string,
  removed: RemovedRows,
): Promise<void> {
  await query.query(
    `WITH done AS (
       UPDATE erased SET removed = true WHERE tenant = $1 AND id = $3
     )
     UPDATE erasures SET removed = $4::jsonb, lease_until = NULL
      WHERE tenant = $1 AND id = $2 AND lease_owner IS NULL`,
    [tenant, id, eventId, JSON.stringify(removed)],
  );
}

function commonOf(row: ErasureRow) {
  const { id, state, events, as_of, removed, kafka, kept_until, created_at, completed_at } = row;
  return {
    id,
    status: state === 'completed' ? ('completed' as const) : ('running' as const),
    as_of,
    events,
    removed,
    kafka,
    kept_until,
    created_at,
    completed_at,
  };
}

/** The receipt of an erasure of events, as clients see it. */
export const erasureOf = (row: ErasureRow): Erasure => ({
  ...commonOf(row),
  event_id: row.event_id,
  filtered_by: row.filtered_by,
});

/** The same of a tenant's. */
export const deletionOf = (row: ErasureRow): TenantDeletion => ({
  ...commonOf(row),
  tenant: row.tenant,
  dropped: row.dropped,
});

/** The receipt of either kind: that of a deleted tenant is still there when the name is used again. */
export const receiptOf = (row: ErasureRow): Erasure | TenantDeletion =>
  row.kind === 'tenant' ? deletionOf(row) : erasureOf(row);

/** Some of the erasures that nobody works on; whoever is left out this time is among them soon. */
export const leaseErasures = (postgres: Query, owner: string, max: number): Promise<ErasureRow[]> =>
  postgres.query<ErasureRow>(
    `UPDATE erasures e
        SET lease_owner = $1, lease_until = ${leaseEnd}
       FROM (SELECT tenant, id FROM erasures
              WHERE completed_at IS NULL AND (lease_until IS NULL OR lease_until < clock_timestamp())
              ORDER BY random()
              LIMIT $2
                FOR UPDATE SKIP LOCKED) AS free
      WHERE e.tenant = free.tenant AND e.id = free.id
      RETURNING ${columns
        .split(',')
        .map((column) => `e.${column.trim()}`)
        .join(', ')}`,
    [owner, max],
    'lease-erasures',
  );

/** Changes it, and extends the lease. @returns it as it is now; undefined: another has it, and nothing was changed */
export async function advance(
  query: Query,
  { tenant, id }: Named,
  owner: string,
  assignments = 'state = state',
  values: readonly unknown[] = [],
): Promise<ErasureRow | undefined> {
  const [row] = await query.query<ErasureRow>(
    `UPDATE erasures SET lease_until = ${leaseEnd}, ${assignments}
      WHERE tenant = $1 AND id = $2 AND lease_owner = $3 AND completed_at IS NULL
      RETURNING ${columns}`,
    [tenant, id, owner, ...values],
  );
  return row;
}

export async function releaseErasure(query: Query, { tenant, id }: ErasureRow, owner: string): Promise<void> {
  await query.query(
    'UPDATE erasures SET lease_owner = NULL, lease_until = NULL WHERE tenant = $1 AND id = $2 AND lease_owner = $3',
    [tenant, id, owner],
  );
}
