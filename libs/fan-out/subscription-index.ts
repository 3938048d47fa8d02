import { everyEventKey, eventKeys, type EventRecord, subscriptionKeys } from '#lib/contract';
import type { Subscriber } from './subscriber.ts';

export type EventToMatch = Pick<EventRecord, 'type' | 'source_id'>;

/**
 * The endpoints of one tenant by their subscriptions, past ones included: the cost of an event depends on its matches, not on other
 * endpoints.
 */
export interface SubscriptionIndex<E extends Subscriber = Subscriber> {
  /** Replaces the same endpoint. */
  put(endpoint: E): void;
  remove(id: string): void;
  /** All endpoints that the event may belong to, now or as of its receipt, and some others. */
  candidates(event: EventToMatch): Iterable<E>;
  /** The same, if there are few; undefined if there may be more than `most`, at no cost. */
  fewCandidates(event: EventToMatch, most: number): Iterable<E> | undefined;
}

/** Most keys of one endpoint over its whole history; one with more is looked at for every event of its tenant. */
const mostKeys = 300;

export function createSubscriptionIndex<E extends Subscriber>(): SubscriptionIndex<E> {
  const byKey = new Map<string, Map<string, E>>();
  const keysOf = new Map<string, ReadonlySet<string>>();

  const removeFrom = (key: string, id: string): void => {
    const under = byKey.get(key);
    under?.delete(id);
    if (under?.size === 0) byKey.delete(key);
  };

  function* under(event: EventToMatch): Iterable<Map<string, E>> {
    for (const key of eventKeys(event)) {
      const endpoints = byKey.get(key);
      if (endpoints !== undefined) yield endpoints;
    }
  }

  // Each endpoint once, in its current state: iterating may take a while.
  const distinct = (found: Iterable<Map<string, E>>): Iterable<E> => {
    const [only, ...others] = found;
    if (only === undefined || others.length === 0) return [...(only?.values() ?? [])];
    return new Map([only, ...others].flatMap((endpoints) => [...endpoints])).values();
  };

  return {
    put(endpoint) {
      const { id } = endpoint;
      const keys = keysFor(endpoint);
      for (const key of keysOf.get(id) ?? []) if (!keys.has(key)) removeFrom(key, id);
      keysOf.set(id, keys);
      for (const key of keys) byKey.set(key, (byKey.get(key) ?? new Map<string, E>()).set(id, endpoint));
    },
    remove(id) {
      for (const key of keysOf.get(id) ?? []) removeFrom(key, id);
      keysOf.delete(id);
    },
    candidates: (event) => distinct(under(event)),
    fewCandidates(event, most) {
      const found = [...under(event)];
      return found.reduce((sum, { size }) => sum + size, 0) > most ? undefined : distinct(found);
    },
  };
}

function keysFor({ subscription, past }: Subscriber): Set<string> {
  const keys = new Set<string>();
  for (const each of [...past, subscription]) {
    // A closed endpoint gets nothing from the time of its closure.
    if (!each.open) continue;
    for (const key of subscriptionKeys(each)) keys.add(key);
    if (keys.size > mostKeys) return new Set([everyEventKey]);
  }
  return keys;
}
