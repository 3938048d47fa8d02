import {
  answeredHeadersFor,
  type AttemptTiming,
  detailFor,
  type DeliveryStatus,
  type HeaderViewer,
  sendColumns,
  sentHeadersFor,
  type SendFields,
  type StepFields,
  timingColumns,
} from '#lib/contract';
import { formatMicros, microsOf } from '#lib/clock';
import { type deliveryColumns, type RowOf, sqlStatus } from '#lib/event-store';
import { idRange, timeOfId } from '#lib/ids';
import type { Query } from '#lib/postgres';
import { bindTo, filterConditions } from '../http/filters.ts';
import type { PageRequest } from '../http/paging.ts';
import { deliveryFields } from '../openapi/resources/deliveries.ts';
import { type BoundedList, type BoundedPage, boundedSql, chooseLead } from './bounded-list.ts';
import { type DeliveryFilter, deliveryFilters } from './delivery-filters.ts';
import { allDeliveries, deliveryLeads } from './delivery-leads.ts';
import { idPattern } from './ids.ts';
import { mostClockSkewMs } from './most-clock-skew.ts';

/** As clients see it, too. */
export type DeliveryRow = Omit<
  Pick<RowOf<typeof deliveryColumns>, keyof typeof deliveryFields & keyof typeof deliveryColumns>,
  'status'
> & {
  status: DeliveryStatus;
  event_type: string | null;
};

/** The delivery as this client sees it. */
export const deliveryJson = (row: DeliveryRow, viewer: HeaderViewer): DeliveryRow => ({
  ...row,
  ...{ detail: detailFor(viewer, row.detail), last_detail: detailFor(viewer, row.last_detail) },
});

export const deliveryId = idPattern('dlv');
/** The time of the next attempt comes from the row of `waiting`, which users can move. */
const nextAttemptAt = `
  CASE WHEN d.status = ${sqlStatus('retrying')} AND isfinite(w.due_at) THEN w.due_at ELSE d.next_attempt_at END AS next_attempt_at`;
const eventType = `
  (SELECT nullif(e.type, '') FROM events e WHERE e.tenant = d.tenant AND e.id = d.event_id) AS event_type`;
const ownSql: Readonly<Record<string, string>> = { next_attempt_at: nextAttemptAt, event_type: eventType };
const columns = Object.keys(deliveryFields)
  .map((name) => ownSql[name] ?? `d.${name}`)
  .join(', ');
const joinWaiting = 'LEFT JOIN waiting w ON w.tenant = d.tenant AND w.delivery_id = d.id';
const tables = `deliveries d ${joinWaiting}`;

export async function findDelivery(postgres: Query, tenant: string, id: string): Promise<DeliveryRow | undefined> {
  if (!deliveryId.test(id)) return undefined;
  const [row] = await postgres.query<DeliveryRow>(
    `SELECT ${columns} FROM ${tables} WHERE d.tenant = $1 AND d.id = $2`,
    [tenant, id],
  );
  return row;
}

export function listDeliveriesOfEvent(
  postgres: Query,
  tenant: string,
  eventId: string,
  { after, limit }: PageRequest,
): Promise<DeliveryRow[]> {
  return postgres.query<DeliveryRow>(
    `SELECT ${columns} FROM ${tables}
      WHERE d.tenant = $1 AND d.event_id = $2 AND ($3::text IS NULL OR d.id > $3)
      ORDER BY d.id
      LIMIT $4`,
    [tenant, eventId, after, limit + 1],
  );
}

export interface DeliveryPage {
  rows: DeliveryRow[];
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
    ...{ descending, limit, ...range },
    ...(after !== null && (descending ? { below: after } : { above: after })),
  };
  const values: unknown[] = [tenant];
  const sql = boundedSql(list, lead, page, bindTo(values));
  const rows = await postgres.query<{ read_to: string | null } & Partial<DeliveryRow>>(
    `WITH page AS MATERIALIZED (${sql.page})
     SELECT CASE WHEN (SELECT count(*) FROM page) <= ${limit} THEN (${sql.readTo}) END AS read_to, page.*
       FROM (SELECT) AS asked
       LEFT JOIN page ON true
      ORDER BY page.id ${descending ? 'DESC' : 'ASC'}`,
    values,
  );
  const found = rows.flatMap(({ read_to: _, ...row }) => (row.id == null ? [] : [row as DeliveryRow]));
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

/** Where nothing was sent, the request is null, and with it the timing. */
export interface AttemptRow
  extends Pick<StepFields, 'step' | 'attempt' | 'detail'>, Omit<SendFields, 'timing'>, AttemptTiming {
  at: string;
}

const attemptColumns = ['step', 'attempt', 'at', 'detail', ...Object.keys(sendColumns), ...Object.keys(timingColumns)];

/** The attempt as this client sees it. */
export function attemptJson(
  { step: _step, request, response_headers: answered, ...row }: AttemptRow,
  viewer: HeaderViewer,
): Record<string, unknown> {
  const { attempt, at, outcome, http_status, duration_ms, detail, response_excerpt, ...rest } = row;
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, body_ms, ...more } = rest;
  const text = response_excerpt === null ? null : excerptText(response_excerpt);
  return {
    ...{ attempt, at, outcome, http_status, duration_ms, detail: detailFor(viewer, detail), ...more },
    request: request && { ...request, headers: sentHeadersFor(viewer, request.headers) },
    response_headers: answered && answeredHeadersFor(viewer, answered),
    response_excerpt: text ?? response_excerpt?.toString('base64') ?? null,
    response_excerpt_encoding: text === undefined ? 'base64' : 'text',
    timing: request && { dns_ms, connect_ms, tls_ms, first_byte_ms, body_ms },
  };
}

/** @returns undefined if it is not UTF-8; a last character that the excerpt cuts is left out */
export function excerptText(excerpt: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(excerpt, { stream: true });
  } catch {
    return undefined;
  }
}

/** The partition with a delivery's attempts; null if its id doesn't tell. */
function deliveryAt(deliveryId: string): string | null {
  const ms = timeOfId(deliveryId);
  return ms === undefined ? null : formatMicros(ms * 1000);
}

export function listAttempts(
  postgres: Query,
  tenant: string,
  deliveryId: string,
  { after, limit }: PageRequest,
): Promise<AttemptRow[]> {
  return postgres.query<AttemptRow>(
    `SELECT ${attemptColumns.join(', ')}
       FROM attempts
      WHERE tenant = $1 AND delivery_id = $2 AND ($3::int IS NULL OR step > $3)
        AND ($5::timestamptz IS NULL OR delivery_at = $5)
      ORDER BY step
      LIMIT $4`,
    [tenant, deliveryId, after, limit + 1, deliveryAt(deliveryId)],
  );
}
