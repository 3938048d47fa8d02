import type { ReplayOperation } from '#lib/contract';
import { isOpen, sqlStatus } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import type { Selection } from '#lib/replay-store';
import { AppError } from '#lib/runtime';
import { deliveryFilters } from '../../deliveries/index.ts';
import { eventFilters, findIdentifierLead } from '../../events/index.ts';
import { bindTo, filterConditions, type Filtering, type FilterTable, readInstant } from '../../http/filters.ts';

/** The subject of an operation by filter. Conditions and columns are on its table. */
interface Target {
  filters: FilterTable;
  /** With its alias. */
  table: string;
  /** As one sees it in a count: which endpoint, and in what state. */
  endpoint: string;
  reason: string;
  createdAt: string;
}

const events: Target = {
  // The list reads it as part of its position.
  filters: { ...eventFilters, updated_at_gte: { ...eventFilters.updated_at_gte, read: readInstant } },
  table: 'events',
  endpoint: 'NULL::text',
  reason: 'status',
  createdAt: 'received_at',
};

const deliveries: Target = {
  filters: deliveryFilters,
  table: 'deliveries d',
  endpoint: 'd.endpoint_id',
  reason: 'coalesce(d.last_outcome, d.status)',
  createdAt: 'd.created_at',
};

const waitsForItsTime = `${isOpen('d.status')} AND NOT d.cancel_requested AND EXISTS (
  SELECT FROM waiting w WHERE w.tenant = d.tenant AND w.delivery_id = d.id AND isfinite(w.due_at))`;
/** And was not replayed since: then the newer delivery counts. */
const isDead = `d.status = ${sqlStatus('dead_lettered')}
  AND EXISTS (SELECT FROM dead_letters l
               WHERE l.tenant = d.tenant AND l.stage = 'dispatcher' AND l.origin = d.id AND l.status = 'dead')
  AND NOT EXISTS (SELECT FROM deliveries newer
                   WHERE newer.tenant = d.tenant AND newer.event_id = d.event_id AND newer.endpoint_id = d.endpoint_id
                     AND newer.generation > d.generation)`;

interface Operation extends Target {
  /** The condition for matches that it can be done to. */
  isEligible: string;
}

export const operations: Readonly<Record<ReplayOperation, Operation>> = {
  replay_events: { ...events, isEligible: `status <> ${sqlStatus('erased')}` },
  retry_deliveries: { ...deliveries, isEligible: `(${waitsForItsTime} OR ${isDead})` },
  cancel_deliveries: { ...deliveries, isEligible: `${isOpen('d.status')} AND NOT d.cancel_requested` },
};

export interface Matching {
  from: string;
  where: string;
  /** The first is the tenant. */
  values: readonly unknown[];
}

/** SQL for what a selection matches. */
export async function matchingOf(
  postgres: Query,
  operation: ReplayOperation,
  tenant: string,
  { filter, asOf }: Selection,
): Promise<Matching> {
  const { filters, table, createdAt, isEligible } = operations[operation];
  // Ignored, it would select what nobody asked for.
  const unknown = Object.keys(filter).find((name) => !(name in filters));
  if (unknown !== undefined) throw new AppError('bug', `a stored selection has the unknown filter ${unknown}`);
  const values: unknown[] = [tenant];
  const bind = bindTo(values);
  const conditions = filterConditions(filters, filter as Filtering<FilterTable>, bind);
  const until = `${createdAt} <= ${bind(asOf)}::timestamptz`;
  // Events that a sender or a trace names are found by other tables than their own.
  const named = operation === 'replay_events' ? await findIdentifierLead(postgres, tenant, filter) : undefined;
  const among = (named?.(bind).ids ?? []).map((ids) => `id IN (${ids})`);
  return { from: table, where: ['tenant = $1', ...among, until, ...conditions, isEligible].join(' AND '), values };
}
