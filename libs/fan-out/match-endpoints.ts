import { type EventRecord, isLooped, subscriptionAt, type Unsubscribed, whyUnsubscribed } from '#lib/contract';
import { type EventFilter, matchInTurns, type MatchTurns, type UnjudgedFilters } from '#lib/event-filter';
import type { EndpointSubscription, Subscriber } from './subscriber.ts';

interface Deps {
  turns: MatchTurns;
  unjudged: Pick<UnjudgedFilters, 'note'>;
}

/** In the order of their ids. */
export type MatchEndpoints<E extends Subscriber = Subscriber> = (
  event: EventRecord,
  endpoints: Iterable<E>,
) => Promise<E[]>;

/**
 * The endpoints that get an event, as of its receipt, not of now: a fan-out repeated after a crash must give the same set, or a delivery of
 * the first set alone would stay open for ever. An endpoint deleted or disabled since then is still matched, and the dispatcher ends its
 * delivery like any other in progress.
 *
 * The process does other work between filters. The list may change meanwhile: any newer list gives the same result.
 */
export function createMatchEndpoints<E extends Subscriber>({ turns, unjudged }: Deps): MatchEndpoints<E> {
  return async (event, endpoints) => {
    const { tenant, id: eventId, payload: bytes, content_type: contentType, content_encoding: contentEncoding } = event;
    const takers = await matchInTurns(subscribed(event, endpoints), {
      tenant,
      bytes,
      contentType,
      contentEncoding,
      turns,
    });
    unjudged.note({ tenant, eventId }, takers);
    return takers.map(({ candidate }) => candidate.endpoint);
  };
}

export interface Subscribed<E> {
  id: string;
  filter: EventFilter | null;
  endpoint: E;
}

/** The endpoints that are subscribed to the event, by its type and source, as of its receipt. */
export function* subscribed<E extends Subscriber>(event: EventRecord, endpoints: Iterable<E>): Iterable<Subscribed<E>> {
  for (const endpoint of endpoints) {
    const subscription = subscriptionFor(event, endpoint);
    if (typeof subscription === 'object') yield { id: endpoint.id, filter: subscription.filter, endpoint };
  }
}

/**
 * Why an endpoint does not get an event, whatever is in it: no endpoint gets an event whose webhook goes round in a loop; its creation counts
 * from after the event (`effective_at`); it was closed (deleted or disabled); it gets other types, or other sources.
 */
export type Unmatched = 'loop' | 'created_later' | 'closed' | Unsubscribed;

/** The subscription by which the endpoint gets the event, if its filter takes the payload; or the first reason why it does not. */
export function subscriptionFor(
  event: Pick<EventRecord, 'received_at' | 'type' | 'source_id'> & Parameters<typeof isLooped>[0],
  { beginsAt, past, subscription: now }: Pick<Subscriber, 'beginsAt' | 'past' | 'subscription'>,
): EndpointSubscription | Unmatched {
  if (isLooped(event)) return 'loop';
  if (event.received_at < beginsAt) return 'created_later';
  const subscription = subscriptionAt(past, now, event.received_at);
  if (!subscription.open) return 'closed';
  return whyUnsubscribed(subscription, event) ?? subscription;
}
