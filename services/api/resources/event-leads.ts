/** The indexes of events that a list in the order of receipt may be read by: bounded-list.ts. */
import { operationalSourceId, publishedSourceId } from '#lib/contract';
import { type Identifier, dedupKeyOf } from '#lib/dedup-store';
import { sqlStatus } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { type LeadOf, maxRead, ordered, unordered } from './bounded-list.ts';
import type { EventFilter } from './event-filters.ts';

const table = 'events';

export const allEvents: LeadOf = () => ordered(table, ['true']);

/** As the partial index has it. */
const isSampled = `right(traceparent, 1) IN ('1', '3', '5', '7', '9', 'b', 'd', 'f')`;

/** The partial indexes of `has`. */
const counted: Readonly<Record<string, string>> = {
  duplicates: 'duplicates > 0',
  changed: 'duplicates_changed > 0',
  dead_letters: 'dead_lettered > 0',
};

/** @param ids those of `findNamed` */
export function eventLeads(filter: EventFilter, ids: readonly string[] | undefined): LeadOf[] {
  const { status, type, source_id, receipt_id, endpoint_id, ordering_key, has = [] } = filter;
  const leads: (LeadOf | false)[] = [
    ids !== undefined && ((bind) => unordered(`SELECT unnest(${bind(ids)}::text[]) AS id`, 'id')),
    receipt_id !== undefined &&
      ((bind) =>
        unordered(
          `SELECT event_id AS id FROM receipts WHERE tenant = $1 AND receipt_id = ${bind(receipt_id)}`,
          'receipt_id',
        )),
    ordering_key !== undefined && ((bind) => ordered(table, [`ordering_key = ${bind(ordering_key)}`])),
    ...has.map(
      (what): LeadOf =>
        () =>
          ordered(table, [counted[what] ?? 'true']),
    ),
    status !== undefined && byStatus(status),
    endpoint_id !== undefined &&
      ((bind) =>
        unordered(
          `SELECT event_id AS id FROM deliveries WHERE tenant = $1 AND endpoint_id = ${bind(endpoint_id)}`,
          'status, deliveries.id',
        )),
    type !== undefined &&
      ((bind) => unordered(`SELECT id FROM ${table} WHERE tenant = $1 AND type = ${bind(type)}`, 'updated_at')),
    source_id !== undefined &&
      ((bind) =>
        unordered(`SELECT id FROM ${table} WHERE tenant = $1 AND source_id = ${bind(source_id)}`, 'updated_at')),
  ];
  return leads.filter((lead) => lead !== false);
}

function byStatus(status: string): LeadOf | false {
  switch (status) {
    case 'received':
      return () => ordered(table, [`status = ${sqlStatus('received')}`]);
    case 'processing':
      return () =>
        unordered(
          `SELECT id FROM ${table} WHERE tenant = $1 AND status <> 'completed' AND status = 'processing'`,
          'updated_at',
        );
    case 'dead_lettered':
      return () => ordered(table, [counted['dead_letters'] ?? 'true']);
    default:
      return false;
  }
}

/**
 * The events that the filter names, and perhaps others; undefined if it names none that an index finds.
 *
 * An index of senders' identifiers, or of traces, which come in no order, would double what an event costs. The receipts have one of dedup
 * keys, which are made of source and identifier; of traces, the sampled ones have one: others are in no tracing system that an id could be
 * from.
 */
export async function findNamed(
  postgres: Query,
  tenant: string,
  { event_id, source_id, trace_id }: EventFilter,
): Promise<string[] | undefined> {
  // A long identifier is shown as its hash: its key can't be told from that.
  if (event_id !== undefined && !event_id.startsWith('sha256:'))
    return findByEventId(postgres, tenant, event_id, source_id);
  if (trace_id === undefined) return undefined;
  const ids = await findSampled(postgres, tenant, trace_id);
  return ids.length === 0 ? undefined : ids;
}

async function findByEventId(
  postgres: Query,
  tenant: string,
  eventId: string,
  sourceId: string | undefined,
): Promise<string[]> {
  const sources = sourceId === undefined ? await allSources(postgres, tenant) : [sourceId];
  const identifiers: Identifier[] = [
    { kind: 'text', text: eventId },
    { kind: 'number', source: eventId },
  ];
  const keys = sources.flatMap((source) => identifiers.map((identifier) => dedupKeyOf(tenant, source, identifier)));
  const found = await postgres.query<{ event_id: string }>(
    `SELECT DISTINCT r.event_id
       FROM unnest($2::bytea[]) AS asked (key)
      CROSS JOIN LATERAL (
            SELECT event_id FROM receipts WHERE tenant = $1 AND dedup_key = asked.key AND NOT duplicate OFFSET 0) AS r
      WHERE r.event_id IS NOT NULL`,
    [tenant, keys],
  );
  return found.map(({ event_id }) => event_id);
}

/** Deleted ones too: their rows stay. */
async function allSources(postgres: Query, tenant: string): Promise<string[]> {
  const rows = await postgres.query<{ id: string }>('SELECT id FROM sources WHERE tenant = $1', [tenant]);
  return [publishedSourceId, operationalSourceId, ...rows.map(({ id }) => id)];
}

async function findSampled(postgres: Query, tenant: string, traceId: string): Promise<string[]> {
  const rows = await postgres.query<{ id: string }>(
    `SELECT id FROM ${table}
      WHERE tenant = $1 AND substr(traceparent, 4, 32) = $2 AND ${isSampled}
      ORDER BY id DESC LIMIT ${maxRead}`,
    [tenant, traceId],
  );
  return rows.map(({ id }) => id);
}
