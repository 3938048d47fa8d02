import type { Query } from '#lib/postgres';
import { eventFilters, findIdentifierLead } from '../events/index.ts';
import { bindTo, filterConditions, type Filtering } from '../http/filters.ts';

const { event_id, type, tag, source_id } = eventFilters;

/** The filters of events by which they can be erased: each names what never changes of an event. */
export const erasureFilters = { event_id, type, tag, source_id };

export type ErasureFilter = Filtering<typeof erasureFilters>;

/** As many as a dry run counts. */
const maxCounted = 100_000;

async function conditionsOf(
  postgres: Query,
  tenant: string,
  filter: ErasureFilter,
  asOf: string,
): Promise<{ conditions: string; values: unknown[] }> {
  const values: unknown[] = [tenant, asOf];
  const bind = bindTo(values);
  // No index of events has the identifiers of senders.
  const named = await findIdentifierLead(postgres, tenant, filter);
  const among = (named?.(bind).ids ?? []).map((ids) => `id IN (${ids})`);
  const matching = [...among, ...filterConditions(erasureFilters, filter, bind)];
  return {
    conditions: ['tenant = $1', `status <> 'erased'`, 'received_at <= $2::timestamptz', ...matching].join(' AND '),
    values,
  };
}

/** How many events an erasure would mark; `more`: there are more than were counted. */
export async function countEvents(
  postgres: Query,
  tenant: string,
  filter: ErasureFilter,
  asOf: string,
): Promise<{ matched: number; more: boolean }> {
  const { conditions, values } = await conditionsOf(postgres, tenant, filter, asOf);
  const [row] = await postgres.query<{ matched: number }>(
    `SELECT count(*)::int AS matched FROM (SELECT FROM events WHERE ${conditions} LIMIT ${maxCounted + 1}) AS found`,
    values,
  );
  const matched = row?.matched ?? 0;
  return { matched: Math.min(matched, maxCounted), more: matched > maxCounted };
}

/** The next events behind this `updated_at`; one that changes meanwhile comes again behind it. */
export async function chooseEvents(
  postgres: Query,
  { tenant, filter, as_of: asOf }: { tenant: string; filter: ErasureFilter; as_of: string },
  after: string,
  limit: number,
): Promise<{ id: string; updated_at: string }[]> {
  const { conditions, values } = await conditionsOf(postgres, tenant, filter, asOf);
  return postgres.query(
    `SELECT id, updated_at FROM events
      WHERE ${conditions} AND updated_at > $${values.push(after)}::timestamptz
      ORDER BY updated_at
      LIMIT $${values.push(limit)}`,
    values,
  );
}
