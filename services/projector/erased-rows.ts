/** Rows of events that were erased, and of tenants that were deleted: they come again from Kafka, and are not written. */
import { erasedEventKey, erasedKey, findErased, findErasedByKey } from '#lib/erasure';
import { encode, send } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import type { BatchRows } from './batch-rows.ts';
import { keyOf } from './facts.ts';

export interface ErasedRows {
  /** Undefined: of no event, or of none that is known. */
  hasEvent(row: { tenant: string; event_id: string | null }): boolean;
  /** By its key and what dedup has named of its event. */
  hasDuplicate(row: { tenant: string; dedup_key: Buffer; event_hint: string }): boolean;
  /** How many of these rows belong to which deleted tenant. */
  dropped(rows: BatchRows): Map<string, number>;
}

type RowsOfBatch = Pick<BatchRows, 'tenants' | 'touched' | 'duplicates' | 'deadLetters'>;

/**
 * Asks about all events of a batch, and its tenants, in one round trip with what was sent before. Most batches have none: then undefined.
 * Must be called when the clocks have been asked for, and before their answer is waited for.
 */
export async function findErasedRows(tx: Query, rows: RowsOfBatch): Promise<ErasedRows | undefined> {
  const { tenants, touched, duplicates, deadLetters } = rows;
  const ofDeadLetters = deadLetters.flatMap(({ tenant, event_id: id }) => (id === null ? [] : [{ tenant, id }]));
  const asked = [
    ...new Set([...tenants, ...deadLetters.map(({ tenant }) => tenant)]).values().map((tenant) => ({ tenant, id: '' })),
    ...touched.map(({ tenant, event_id: id }) => ({ tenant, id })),
    ...ofDeadLetters,
  ];
  const keys = duplicates.map(({ tenant, dedup_key }) => ({ tenant, dedup_key }));
  const [found, byKey] = await Promise.all([
    send(tx, encode(findErased, asked)),
    send(tx, encode(findErasedByKey, keys)),
  ]);
  if (found.length + byKey.length === 0) return undefined;

  const erased = new Set(found.map(erasedKey));
  const hasTenant = (tenant: string): boolean => erased.has(erasedKey({ tenant, id: '' }));
  const idsByKey = Map.groupBy(byKey, ({ tenant, dedup_key }) => keyOf(tenant, dedup_key.toString('hex')));
  const hasEvent: ErasedRows['hasEvent'] = ({ tenant, event_id }) =>
    hasTenant(tenant) || (event_id !== null && erased.has(erasedEventKey({ tenant, event_id })));
  return {
    hasEvent,
    hasDuplicate: ({ tenant, dedup_key, event_hint }) =>
      hasEvent({ tenant, event_id: event_hint }) ||
      (idsByKey.get(keyOf(tenant, dedup_key.toString('hex'))) ?? []).some(({ id }) => id.endsWith(event_hint)),
    dropped(all) {
      const counts = new Map<string, number>();
      const rowsOf = [all.events, all.duplicates, all.outcomes, all.fanOuts, all.deadLetters];
      for (const { tenant } of rowsOf.flat()) if (hasTenant(tenant)) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
      return counts;
    },
  };
}

/** The same rows without those. Events keep the instants that were reserved for them. */
export function withoutErased(rows: BatchRows, erased: ErasedRows | undefined): BatchRows {
  if (erased === undefined) return rows;
  const { hasEvent } = erased;
  const kept = <Row extends { tenant: string; event_id: string | null }>(all: readonly Row[]): Row[] =>
    all.filter((row) => !hasEvent(row));
  return {
    tenants: rows.tenants,
    touched: kept(rows.touched),
    events: rows.events.filter(({ tenant, id }) => !hasEvent({ tenant, event_id: id })),
    duplicates: rows.duplicates.filter((row) => !erased.hasDuplicate(row)),
    fanOuts: kept(rows.fanOuts),
    outcomes: kept(rows.outcomes),
    steps: rows.steps,
    dueSoon: kept(rows.dueSoon),
    deadLetters: kept(rows.deadLetters),
    payloads: kept(rows.payloads),
    attempts: kept(rows.attempts),
  };
}
