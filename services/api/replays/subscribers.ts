import { isSubscribed, type Subscription } from '#lib/contract';
import {
  compileFilter,
  type EventFilter,
  matchInTurns,
  type MatchTurns,
  problemsOfFilter,
  type Taker,
} from '#lib/event-filter';
import type { Query } from '#lib/postgres';
import { subscriptionsAfter } from '../endpoints/index.ts';

export interface Subscriber {
  id: string;
  /** Null: every payload. */
  filter: EventFilter | null;
}

/** Facts of an event that decide who may get it, but for its payload. */
export interface EventKind {
  type: string;
  source_id: string;
}

export interface EventPayload {
  body: Buffer;
  content_type: string;
  content_encoding: string | null;
}

/** A filter of the largest size is checked and compiled in the time of so many steps. */
const stepsToCompile = 2_000;
const maxKinds = 200;

/** The endpoints that get such an event today. */
export async function eventTakers(
  postgres: Query,
  tenant: string,
  event: EventKind & EventPayload,
  turns: MatchTurns,
): Promise<Taker<Subscriber>[]> {
  const subscribers: Subscriber[] = [];
  for await (const { id, filter, ...subscription } of subscriptionsOf(postgres, tenant, turns))
    if (isSubscribed(subscription, event)) subscribers.push({ id, filter: compiled(filter) });
  return takersAmong(subscribers, tenant, event, turns);
}

/** The subscribers that take the payload: matched as fan-out does it, and within the same bounds. */
export const takersAmong = (
  subscribers: readonly Subscriber[],
  tenant: string,
  { body: bytes, content_type: contentType, content_encoding: contentEncoding }: EventPayload,
  turns: MatchTurns,
): Promise<Taker<Subscriber>[]> => matchInTurns(subscribers, { tenant, bytes, contentType, contentEncoding, turns });

/**
 * The endpoints of a tenant as they are now, for many events: those that such an event may go to, in the order of their ids. Kinds are
 * remembered, since a page of events has few.
 */
export async function readSubscribers(
  postgres: Query,
  tenant: string,
  turns: MatchTurns,
): Promise<(kind: EventKind) => Promise<readonly Subscriber[]>> {
  const subscriptions: (Subscriber & Subscription)[] = [];
  for await (const { filter, ...subscription } of subscriptionsOf(postgres, tenant, turns))
    subscriptions.push({ ...subscription, filter: compiled(filter) });
  const byKind = new Map<string, readonly Subscriber[]>();

  return async ({ type, source_id }) => {
    const key = JSON.stringify([type, source_id]);
    const known = byKind.get(key);
    if (known !== undefined) return known;
    await spend(turns, tenant, subscriptions.length);
    const subscribers = subscriptions.filter((subscription) => isSubscribed(subscription, { type, source_id }));
    if (byKind.size >= maxKinds) byKind.clear();
    byKind.set(key, subscribers);
    return subscribers;
  };
}

/** The subscriptions of a tenant as they are stored, in the order of their ids. */
async function* subscriptionsOf(postgres: Query, tenant: string, turns: MatchTurns) {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = await subscriptionsAfter(postgres, tenant, after);
    for (const { id, event_types: eventTypes, source_ids: sourceIds, filter } of page) {
      await spend(turns, tenant, filter === null ? 1 : stepsToCompile);
      yield { id, eventTypes, sourceIds, filter };
    }
    after = page.at(-1)?.id;
  }
}

async function spend(turns: MatchTurns, tenant: string, steps: number): Promise<void> {
  const wait = turns.wait(tenant);
  if (wait !== undefined) await wait;
  turns.spend(steps);
}

/** An unusable filter takes everything, as in fan-out. */
const compiled = (filter: unknown): EventFilter | null =>
  filter === null || problemsOfFilter(filter).length > 0 ? null : compileFilter(filter);
