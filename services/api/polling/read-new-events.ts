import type { Query } from '#lib/postgres';
import { type EventFilter, type EventRow, readEvents, receiptsOfEvents } from '../resources/event.ts';
import { afterInstant } from './instants.ts';
import { matchesFilter } from './matches-filter.ts';

/** A tenant's new events, read once for all requests that wait for them. */
export interface NewEvents {
  events: EventRow[];
  isMatch(event: EventRow, filter: EventFilter): boolean;
  /** What is before it was read. */
  readTo: string;
  /** False: there is more from `readTo` on. */
  isAll: boolean;
}

export type ReadNewEvents = (tenant: string, from: string, receiptIds: readonly string[]) => Promise<NewEvents>;

const eventsAtOnce = 1_000;
const noReceipts: ReadonlySet<string> = new Set();

export const createNewEventsReader =
  (postgres: Query): ReadNewEvents =>
  async (tenant, from, receiptIds) => {
    const { events, clockAt } = await readEvents(postgres, tenant, { updatedAtGte: from }, eventsAtOnce);
    const receiptsByEvent = new Map<string, Set<string>>();
    if (receiptIds.length > 0 && events.length > 0) {
      const eventIds = events.map(({ id }) => id);
      const receipts = await receiptsOfEvents(postgres, tenant, [...new Set(receiptIds)], eventIds);
      for (const [eventId, ofEvent] of Map.groupBy(receipts, ({ event_id }) => event_id))
        receiptsByEvent.set(eventId, new Set(ofEvent.map(({ receipt_id }) => receipt_id)));
    }
    const isAll = events.length < eventsAtOnce;
    const last = isAll ? clockAt : events.at(-1)?.updated_at;
    return {
      events,
      isMatch: (event, filter) => matchesFilter(event, filter, receiptsByEvent.get(event.id) ?? noReceipts),
      readTo: last == null ? from : afterInstant(last),
      isAll,
    };
  };
