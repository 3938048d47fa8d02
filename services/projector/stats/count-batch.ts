import type { EarlyStatRow, StatRow } from '#lib/event-store';
import type { BatchRows } from '../batch-rows.ts';
import { keyOf } from '../facts.ts';
import type { DuplicateCount } from '../statements/duplicates.ts';
import type { InsertedEvent } from '../statements/events.ts';
import type { AdvancedEvent } from '../statements/outcomes.ts';
import { type CountedOutcome, countOutcomes, deliverySeries } from './count-outcomes.ts';
import { createMinuteCounts, minuteOf } from './minute-counts.ts';

/** Facts that the statements of a batch have really written: those known before are not among them, and so not counted again. */
export interface Written {
  inserted: readonly InsertedEvent[];
  advanced: readonly AdvancedEvent[];
  duplicates: readonly DuplicateCount[];
}

export interface BatchStats {
  minutes: StatRow[];
  /** Counts of deliveries whose event is not known. */
  early: EarlyStatRow[];
}

type Origin = Pick<DuplicateCount, 'tenant' | 'source_id' | 'type'>;

/** Counts a batch (libs/event-store/add-stats.ts): a delivery when both it and its event are known. */
export function countBatch({ events, steps }: Pick<BatchRows, 'events' | 'steps'>, written: Written): BatchStats {
  const minutes = createMinuteCounts();
  const early: EarlyStatRow[] = [];
  const isNew = new Set(written.inserted.map(({ tenant, id }) => keyOf(tenant, id)));
  const added = new Map(events.map((event) => [keyOf(event.tenant, event.id), event]));
  const addOutcome = (
    { tenant, source_id: source, type }: Origin,
    { endpointId, outcome, minute, series }: CountedOutcome,
    n = 1,
  ) => minutes.add({ tenant, minute, series, n, dimensions: { source, type, endpoint: endpointId, outcome } });

  for (const { tenant, id, early: kept } of written.inserted) {
    const event = added.get(keyOf(tenant, id));
    if (event === undefined) continue;
    const { source_id: source, type, received_at: at } = event;
    const dimensions = { source, type, outcome: 'accepted' };
    minutes.add({ tenant, minute: minuteOf(at), series: 'received', n: 1, dimensions });
    for (const { endpoint_id: endpointId, outcome, at: minute, ...counts } of kept ?? [])
      for (const series of deliverySeries) addOutcome(event, { endpointId, outcome, minute, series }, counts[series]);
  }
  for (const advanced of written.advanced) {
    const { tenant, event_id: eventId, source_id, type } = advanced;
    const counted = countOutcomes(advanced, steps);
    const key = keyOf(tenant, eventId);
    const event = source_id === null && isNew.has(key) ? added.get(key) : undefined;
    const origin = source_id !== null && type !== null ? { tenant, source_id, type } : event;
    if (origin !== undefined) for (const outcome of counted) addOutcome(origin, outcome);
    else early.push(...counted.map((outcome) => earlyRow(advanced, outcome)));
  }
  for (const {
    tenant,
    at: minute,
    source_id: source,
    type,
    duplicates,
    duplicates_changed: changed,
  } of written.duplicates) {
    const add = (outcome: string, n: number): void =>
      minutes.add({ tenant, minute, series: 'duplicates', n, dimensions: { source, type, outcome } });
    add('same', duplicates - changed);
    add('changed', changed);
  }
  return { minutes: minutes.rows(), early };
}

const earlyRow = (
  { tenant, event_id }: Pick<AdvancedEvent, 'tenant' | 'event_id'>,
  { endpointId, outcome, minute, series }: CountedOutcome,
): EarlyStatRow => ({
  tenant,
  event_id,
  endpoint_id: endpointId,
  outcome,
  at: minute,
  delivered: 0,
  failed: 0,
  dead_lettered: 0,
  [series]: 1,
});
