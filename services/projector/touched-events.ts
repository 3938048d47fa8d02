/** The events of a batch: the instant that each gets if it changes, and by how much its counts move. */
import { deliveryCounts } from '#lib/contract';
import { type EventRef, run, type takeClocks } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { AppError, formatMicros, parseRfc3339 } from '#lib/runtime';
import { keyOf } from './facts.ts';
import type { TouchedEvent } from './statements/decide-events.ts';

/** The amounts to add to an event's counts. */
type Counts = Omit<TouchedEvent, keyof EventRef | 'updated_at'>;
type EventMove = EventRef & Partial<Counts>;

export interface TouchedEvents {
  /**
   * Takes the clocks of these tenants, and of each event's the event's instant, in order.
   *
   * @returns the tenants whose clocks were taken
   */
  reserve(events: readonly EventRef[], tenants: readonly string[]): Promise<ReadonlySet<string>>;
  /** The clocks that were taken first, as parameters: the tenants, and the last instant of each. */
  clocks(): [tenants: string[], lastAt: string[]];
  /** Most of these events are known; one that only the tables told of gets an instant now, the clock being held already. */
  move(moves: readonly EventMove[]): Promise<void>;
  /** All of them but those that were inserted just now, and have not moved since. */
  toDecide(inserted: readonly { tenant: string; id: string }[]): TouchedEvent[];
}

const countNames: readonly (keyof Counts)[] = ['duplicates', 'duplicates_changed', ...deliveryCounts];
const nothing = Object.fromEntries(countNames.map((count) => [count, 0])) as Counts;

export function createTouchedEvents(tx: Query, take: typeof takeClocks): TouchedEvents {
  const touched = new Map<string, TouchedEvent>();
  const moved = new Set<string>();
  let clocks: [string[], string[]] | undefined;

  async function reserve(events: readonly EventRef[], tenants: readonly string[] = []): Promise<ReadonlySet<string>> {
    const byTenant = Map.groupBy(events, (event) => event.tenant);
    const requests = [...new Set([...tenants, ...byTenant.keys()])].map((tenant) => ({
      tenant,
      n: byTenant.get(tenant)?.length ?? 0,
    }));
    const readings = await run(tx, take, requests);
    clocks ??= [readings.map(({ tenant }) => tenant), readings.map(({ last_at }) => last_at)];
    for (const { tenant, last_at } of readings) {
      const ofTenant = byTenant.get(tenant) ?? [];
      const lastMicros = parseRfc3339(last_at);
      if (lastMicros === undefined) throw new AppError('bug', `a clock reads ${last_at}`);
      ofTenant.forEach(({ event_id }, index) => {
        const updated_at = formatMicros(lastMicros - (ofTenant.length - 1 - index));
        touched.set(keyOf(tenant, event_id), { tenant, event_id, updated_at, ...nothing });
      });
    }
    return new Set(readings.map(({ tenant }) => tenant));
  }

  return {
    reserve,
    clocks: () => clocks ?? [[], []],
    async move(moves) {
      const unforeseen = new Map(
        moves.map(({ tenant, event_id }) => [keyOf(tenant, event_id), { tenant, event_id }] as const),
      );
      for (const key of touched.keys()) unforeseen.delete(key);
      await reserve([...unforeseen.values()]);
      for (const move of moves) {
        const key = keyOf(move.tenant, move.event_id);
        const event = touched.get(key);
        if (event === undefined) throw new AppError('bug', `${move.event_id} has no instant`);
        for (const count of countNames) event[count] += move[count] ?? 0;
        moved.add(key);
      }
    },
    toDecide(inserted) {
      const isDecided = new Set(inserted.map(({ tenant, id }) => keyOf(tenant, id)));
      return [...touched].flatMap(([key, event]) => (isDecided.has(key) && !moved.has(key) ? [] : [event]));
    },
  };
}
