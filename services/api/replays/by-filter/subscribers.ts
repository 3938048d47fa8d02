import { isSubscribed, type Subscription } from '#lib/contract';
import { compileFilter, type EventFilter, type MatchTurns, problemsOfFilter } from '#lib/event-filter';
import type { Query } from '#lib/postgres';
import { subscriptionsAfter } from '../../endpoints/index.ts';

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

/** A filter of the largest size is checked and compiled in the time of so many steps. */
const stepsToCompile = 2_000;

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
  for (let after = ''; ;) {
    const page = await subscriptionsAfter(postgres, tenant, after);
    for (const { id, event_types: eventTypes, source_ids: sourceIds, filter } of page) {
      await spend(filter === null ? 1 : stepsToCompile);
      subscriptions.push({ id, eventTypes, sourceIds, filter: compiled(filter) });
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  const byKind = new Map<string, readonly Subscriber[]>();

  async function spend(steps: number): Promise<void> {
    const wait = turns.wait(tenant);
    if (wait !== undefined) await wait;
    turns.spend(steps);
  }

  return async ({ type, source_id }) => {
    const key = JSON.stringify([type, source_id]);
    const known = byKind.get(key);
    if (known !== undefined) return known;
    await spend(subscriptions.length);
    const subscribers = subscriptions.filter(({ eventTypes, sourceIds }) =>
      isSubscribed({ eventTypes, sourceIds }, { type, source_id }),
    );
    if (byKind.size >= maxKinds) byKind.clear();
    byKind.set(key, subscribers);
    return subscribers;
  };
}

const maxKinds = 200;

/** An unusable filter takes everything, as in fan-out. */
const compiled = (filter: unknown): EventFilter | null =>
  filter === null || problemsOfFilter(filter).length > 0 ? null : compileFilter(filter);
