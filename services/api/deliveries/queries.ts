import { type Delivery, delivery } from '#lib/api-contract';
import { detailFor, type HeaderViewer } from '#lib/contract';
import { type deliveryColumns, sqlStatus } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { idRange, microsOf } from '#lib/runtime';
import { bindTo, filterConditions } from '../http/filters.ts';
import type { PageRequest } from '../http/paging.ts';
import { type BoundedList, type BoundedPage, boundedSql, chooseLead } from '../resources/bounded-list.ts';
import { idPattern, mostClockSkewMs } from '../resources/ids.ts';
import { type DeliveryFilter, deliveryFilters } from './filters.ts';
import { allDeliveries, deliveryLeads } from './leads.ts';

/** The delivery as this client sees it. */
export const deliveryOf = (row: Delivery, viewer: HeaderViewer): Delivery => ({
  ...row,
  detail: detailFor(viewer, row.detail),
  last_detail: detailFor(viewer, row.last_detail),
});

export const deliveryId = idPattern('dlv');
/** Fields that are no columns of `deliveries`, or not as they stand there. */
const ownSql: Readonly<Record<Exclude<keyof Delivery, keyof typeof deliveryColumns> | 'next_attempt_at', string>> = {
  /** From the row of `waiting`, which users can move. */
  next_attempt_at: `
  CASE WHEN d.status = ${sqlStatus('retrying')} AND isfinite(w.due_at) THEN w.due_at ELSE d.next_attempt_at END AS next_attempt_at`,
  event_type: `
  (SELECT nullif(e.type, '') FROM events e WHERE e.tenant = d.tenant AND e.id = d.event_id) AS event_type`,
};
const sqlOf = (name: string): string => (name in ownSql ? ownSql[name as keyof typeof ownSql] : `d.${name}`);
const columns = Object.keys(delivery.schema.properties).map(sqlOf).join(', ');
const joinWaiting = 'LEFT JOIN waiting w ON w.tenant = d.tenant AND w.delivery_id = d.id';
const tables = `deliveries d ${joinWaiting}`;

export async function findDelivery(postgres: Query, tenant: string, id: string): Promise<Delivery | undefined> {
  if (!deliveryId.test(id)) return undefined;
  const [row] = await postgres.query<Delivery>(`SELECT ${columns} FROM ${tables} WHERE d.tenant = $1 AND d.id = $2`, [
    tenant,
    id,
  ]);
  return row;
}

export function listDeliveriesOfEvent(
  postgres: Query,
  tenant: string,
  eventId: string,
  { after, limit }: PageRequest,
): Promise<Delivery[]> {
  return postgres.query<Delivery>(
    `SELECT ${columns} FROM ${tables}
      WHERE d.tenant = $1 AND d.event_id = $2 AND ($3::text IS NULL OR d.id > $3)
      ORDER BY d.id
      LIMIT $4`,
    [tenant, eventId, after, limit + 1],
  );
}

interface DeliveryPage {
  rows: Delivery[];
  /** The id that the next page begins behind; undefined if this is the last. */
  next: string | undefined;
}

/** By the times in their ids: of the first delivery of an event to an endpoint the event's receipt, of others their replay's beginning. */
export async function listDeliveries(
  postgres: Query,
  tenant: string,
  filter: DeliveryFilter,
  { after, limit, descending }: PageRequest & { descending: boolean },
): Promise<DeliveryPage> {
  const list: BoundedList = {
    table: 'deliveries d',
    columns,
    joined: joinWaiting,
    leads: deliveryLeads(filter),
    conditions: (bind) => filterConditions(deliveryFilters, filter, bind),
  };
  const lead = await chooseLead(postgres, tenant, list, allDeliveries);
  const range = idRangeOf(filter);
  const page: BoundedPage = {
    descending,
    limit,
    ...range,
    ...(after !== null && (descending ? { below: after } : { above: after })),
  };
  const values: unknown[] = [tenant];
  const sql = boundedSql(list, lead, page, bindTo(values));
  const rows = await postgres.query<{ read_to: string | null } & Partial<Delivery>>(
    `WITH page AS MATERIALIZED (${sql.page})
     SELECT CASE WHEN (SELECT count(*) FROM page) <= ${limit} THEN (${sql.readTo}) END AS read_to, page.*
       FROM (SELECT) AS asked
       LEFT JOIN page ON true
      ORDER BY page.id ${descending ? 'DESC' : 'ASC'}`,
    values,
  );
  const found = rows.flatMap(({ read_to: _, ...row }) => (row.id == null ? [] : [row as Delivery]));
  const shown = found.slice(0, limit);
  return { rows: shown, next: found.length > limit ? shown.at(-1)?.id : (rows[0]?.read_to ?? undefined) };
}

/**
 * A delivery is created after the time in its id, by what the fan-out lags, or by how long its replay has taken so far. Later than this, a list
 * by time of creation does not look for it.
 */
const longestLagMs = 7 * 24 * 3_600_000;

function idRangeOf({ since, until }: DeliveryFilter): Pick<BoundedPage, 'above' | 'below'> {
  return idRange('dlv', {
    ...(since !== undefined && { sinceMs: microsOf(since) / 1_000 - longestLagMs }),
    ...(until !== undefined && { untilMs: microsOf(until) / 1_000 + mostClockSkewMs }),
  });
}
