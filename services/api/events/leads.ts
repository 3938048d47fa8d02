/** The indexes of events that a list in the order of receipt may be read by: resources/bounded-list.ts. */
import { operationalSourceId, publishedSourceId } from '#lib/contract';
import { compoundKeysOf, dedupKeyOf, type Identifier } from '#lib/dedup-store';
import { sqlStatus } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { bindTo } from '../http/filters.ts';
import { type Lead, type LeadOf, ordered, unordered } from '../resources/bounded-list.ts';
import { countedAs, type EventFilter } from './filters.ts';

const table = 'events';

export const allEvents: LeadOf = () => ordered(table, ['true']);

/** As the partial index has it. */
const isSampled = `right(traceparent, 1) IN ('1', '3', '5', '7', '9', 'b', 'd', 'f')`;

/** By a partial index. */
const having =
  (what: string): LeadOf =>
  () =>
    ordered(table, [`${countedAs(what)} > 0`]);

/** Events by a column that has an index. @param by the order of that index @param value undefined: it is not asked for */
const byColumn = (selected: string, column: string, by: string, value: string | undefined): LeadOf | undefined =>
  value === undefined
    ? undefined
    : (bind) => unordered(`SELECT ${selected} WHERE tenant = $1 AND ${column} = ${bind(value)}`, by);

/** @param named of `findIdentifierLead` */
export function eventLeads(filter: EventFilter, named: LeadOf | undefined): LeadOf[] {
  const { status, type, source_id, receipt_id, endpoint_id, ordering_key, tag = [], has = [] } = filter;
  const events = `id FROM ${table}`;
  const leads: (LeadOf | undefined)[] = [
    named,
    byColumn('event_id AS id FROM receipts', 'receipt_id', 'receipt_id', receipt_id),
    ordering_key === undefined ? undefined : (bind) => ordered(table, [`ordering_key = ${bind(ordering_key)}`]),
    ...tag.map(
      (each): LeadOf =>
        (bind) =>
          byTag(bind(each)),
    ),
    ...has.map(having),
    byStatus(status),
    byColumn('event_id AS id FROM deliveries', 'endpoint_id', 'status, deliveries.id', endpoint_id),
    byColumn(events, 'type', 'updated_at', type),
    byColumn(events, 'source_id', 'updated_at', source_id),
  ];
  return leads.filter((lead) => lead !== undefined);
}

/** The table of tags has them in the order of events' ids. */
const byTag = (tag: string): Lead => ({
  ids: [
    `SELECT id FROM (SELECT event_id AS id FROM event_tags WHERE tenant = $1 AND tag = ${tag}) AS tagged WHERE true`,
  ],
  isOrdered: true,
});

function byStatus(status: string | undefined): LeadOf | undefined {
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
      return having('dead_letters');
    default:
      return undefined;
  }
}

/**
 * The events that the filter names by what comes in no order; undefined if it names none that an index finds. What is looked up here is only
 * how to find them: they themselves are found in the statement of the list, whose cursor follows none that it has not seen.
 *
 * An index of senders' identifiers, or of traces, would double what an event costs. The receipts have one of dedup keys, which are made of
 * source and identifier; of traces, the sampled ones have one: others are in no tracing system that an id could be from.
 */
export async function findIdentifierLead(
  postgres: Query,
  tenant: string,
  { event_id, source_id, trace_id }: EventFilter,
): Promise<LeadOf | undefined> {
  // A long identifier is shown as its hash: its key can't be told from that.
  if (event_id !== undefined && !event_id.startsWith('sha256:')) {
    const sources = source_id === undefined ? await allSources(postgres, tenant) : [source_id];
    const exact = sources.flatMap((source) => exactKeysOf(tenant, source, event_id));
    const compound = sources.map((source) => compoundKeysOf(tenant, source, event_id));
    const [firsts, lasts] = [compound.map(({ first }) => first), compound.map(({ last }) => last)];
    return (bind) => unordered(byDedupKey({ exact: bind(exact), firsts: bind(firsts), lasts: bind(lasts) }), 'id');
  }
  if (trace_id === undefined) return undefined;
  const sampled: LeadOf = (bind) => ordered(table, [`substr(traceparent, 4, 32) = ${bind(trace_id)} AND ${isSampled}`]);
  const values: unknown[] = [tenant];
  const [first] = sampled(bindTo(values)).ids;
  return (await postgres.query(`${first} LIMIT 1`, values)).length === 0 ? undefined : sampled;
}

/** The keys of an identifier that is exact: a text or a number. */
const exactKeysOf = (tenant: string, source: string, eventId: string): Buffer[] => {
  const identifiers: Identifier[] = [
    { kind: 'text', text: eventId },
    { kind: 'number', source: eventId },
  ];
  return identifiers.map((identifier) => dedupKeyOf(tenant, source, identifier));
};

/** From one key to the next along the index: for a range, the planner would rather read the whole table. */
const nextKey = (isBehind: string): string => `
  (SELECT r.dedup_key FROM receipts r
    WHERE r.tenant = $1 AND r.dedup_key ${isBehind} AND r.dedup_key <= asked.last_key AND NOT r.duplicate
    ORDER BY r.dedup_key
    LIMIT 1)`;

/** @param given keys, and the first and last key of ranges in which an identifier counts together with something */
const byDedupKey = (given: Readonly<Record<'exact' | 'firsts' | 'lasts', string>>): string => `
  SELECT r.event_id AS id
    FROM (SELECT unnest(${given.exact}::bytea[]) AS key
           UNION ALL
          SELECT found.dedup_key
            FROM unnest(${given.firsts}::bytea[], ${given.lasts}::bytea[]) AS asked (first_key, last_key)
           CROSS JOIN LATERAL (
                 WITH RECURSIVE keys AS (
                   ${nextKey('>= asked.first_key')}
                   UNION ALL
                   SELECT ${nextKey('> keys.dedup_key')}
                     FROM keys
                    WHERE keys.dedup_key IS NOT NULL
                 )
                 SELECT dedup_key FROM keys WHERE dedup_key IS NOT NULL) AS found) AS asked
   CROSS JOIN LATERAL (
         SELECT event_id FROM receipts WHERE tenant = $1 AND dedup_key = asked.key AND NOT duplicate OFFSET 0) AS r
   WHERE r.event_id IS NOT NULL`;

/** Deleted ones too: their rows stay. */
async function allSources(postgres: Query, tenant: string): Promise<string[]> {
  const rows = await postgres.query<{ id: string }>('SELECT id FROM sources WHERE tenant = $1', [tenant]);
  return [publishedSourceId, operationalSourceId, ...rows.map(({ id }) => id)];
}
