/** The part of an endpoint that says which events it gets. The dispatcher knows more (services/dispatcher/model/endpoint.ts). */
import { countsFrom, type PassHeaders, type PastSubscription, type Subscription } from '#lib/contract';
import { compileFilter, type EventFilter } from '#lib/event-filter';
import { type AppError, toAppError } from '#lib/runtime';

export interface Subscriber {
  tenant: string;
  id: string;
  subscription: EndpointSubscription;
  /** Its subscriptions before each change, oldest first, until the change counts: in microseconds since the epoch. */
  past: readonly (EndpointSubscription & { countsUntil: number })[];
  /** Its deliveries of one ordering key are sent one after the other. */
  ordered: boolean;
  /** The provider's headers that it gets. Undefined: none. */
  passHeaders?: PassHeaders | undefined;
  /** When its creation counts: it gets the events accepted from then on. Microseconds since the epoch. */
  beginsAt: number;
}

export interface EndpointSubscription extends Subscription {
  /** Not deleted and not disabled. */
  open: boolean;
  /** Null: every payload. */
  filter: EventFilter | null;
}

export interface SubscriberRow {
  tenant: string;
  id: string;
  event_types: string[];
  source_ids: string[];
  filter: unknown;
  created_at: string;
  /** Null: it was created before this was written down. */
  begins_at: string | null;
  changed_at: string;
  disabled_at: string | null;
  deleted_at: string | null;
  /** Undefined: the history that was read before is still the whole one. */
  history?: readonly PastSubscription[] | undefined;
}

/** Columns of `endpoints`, without the history: it may be larger than all of these, and changes with few changes of the row. */
export const subscriberColumns =
  'tenant, id, event_types, source_ids, filter, created_at, begins_at, changed_at, disabled_at, deleted_at';

/**
 * @param before the same subscriber as it was last read
 * @param onUnreadable gets the reason why a filter can't be used: such an endpoint gets every payload, because a webhook too many can be
 *   ignored, and one too few is lost
 */
export function readSubscriber(
  row: SubscriberRow,
  before: Pick<Subscriber, 'past'> | undefined,
  onUnreadable: (error: AppError) => void,
): Omit<Subscriber, 'ordered' | 'passHeaders'> {
  return {
    tenant: row.tenant,
    id: row.id,
    subscription: readSubscription({ ...row, open: row.disabled_at === null && row.deleted_at === null }, onUnreadable),
    past: readPast(row.history, before, onUnreadable),
    beginsAt: countsFrom(row.begins_at, row.created_at),
  };
}

/** An entry that was known before stays the same object: of a hundred entries one is new. */
function readPast(
  history: SubscriberRow['history'],
  before: Pick<Subscriber, 'past'> | undefined,
  onUnreadable: (error: AppError) => void,
): Subscriber['past'] {
  if (history === undefined) return before?.past ?? [];
  const known = new Map(before?.past.map((past) => [past.countsUntil, past]));
  return history.map((past) => {
    const countsUntil = countsFrom(past.effective_at, past.until);
    return known.get(countsUntil) ?? { ...readSubscription(past, onUnreadable), countsUntil };
  });
}

function readSubscription(
  { open, event_types, source_ids, filter }: Omit<PastSubscription, 'until' | 'effective_at'>,
  onUnreadable: (error: AppError) => void,
): EndpointSubscription {
  const subscription = { open, eventTypes: event_types, sourceIds: source_ids };
  try {
    return { ...subscription, filter: filter === null ? null : compileFilter(filter) };
  } catch (error) {
    onUnreadable(toAppError(error));
    return { ...subscription, filter: null };
  }
}
