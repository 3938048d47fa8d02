import type { EventFilter, EventRow } from '../resources/event.ts';

/**
 * Whether an event that was read without a filter is one that this filter takes: the conditions of `readEvents`, for many filters at once.
 *
 * @param receiptIds of the event, as far as anybody asks for them
 */
export function matchesFilter(event: EventRow, filter: EventFilter, receiptIds: ReadonlySet<string>): boolean {
  return (
    (filter.updatedAtGte === undefined || event.updated_at >= filter.updatedAtGte) &&
    (filter.status === undefined || event.status === filter.status) &&
    (filter.type === undefined || event.type === filter.type) &&
    (filter.sourceId === undefined || event.source_id === filter.sourceId) &&
    (filter.receiptId === undefined || receiptIds.has(filter.receiptId))
  );
}
