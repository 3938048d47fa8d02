/**
 * Places that all tenants share, such as the connections of a pool. A tenant that holds its share waits (shared-room.ts). A free place goes
 * to the waiting tenants in turns, and within a tenant to the first waiter.
 *
 * A place that becomes free is given out at once if somebody waits: no tenant waits for idle places, except those reserved for newcomers.
 */
import { createSharedRoom } from './shared-room.ts';

export interface SharedPlaces {
  /**
   * Resolves with a function that gives the place back, and may be called more than once.
   *
   * @returns rejects with the result of `refuse`: `full` if the tenant has too many waiters, `late` if this one has waited too long
   */
  take(tenant: string): Promise<() => void>;
  /** Each tenant that holds some, and how much of its share. */
  usage(): Iterable<readonly [tenant: string, ratio: number]>;
  /** How many of each tenant wait. */
  waiting(): Iterable<readonly [tenant: string, waiting: number]>;
}

interface Options {
  places: number;
  maxWaiting(tenant: string): number;
  waitTimeoutMs: number;
  refuse(tenant: string, why: 'full' | 'late'): Error;
}

interface Waiter {
  admit(): void;
}

export function createSharedPlaces({ places, maxWaiting, waitTimeoutMs, refuse }: Options): SharedPlaces {
  const room = createSharedRoom(places);
  /** In the order of turns: the tenant served last is last. */
  const waitingBy = new Map<string, Set<Waiter>>();

  function hold(tenant: string): () => void {
    room.take(tenant);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      room.take(tenant, -1);
      admitWaiting();
    };
  }

  function admitWaiting(): void {
    for (let next = nextWaiter(); next !== undefined; next = nextWaiter()) next.admit();
  }

  /** The first waiter of the first tenant that may take a place; the tenant goes to the end of the turns. */
  function nextWaiter(): Waiter | undefined {
    for (const [tenant, waiters] of waitingBy) {
      if (!room.mayTake(tenant)) continue;
      const [first] = waiters;
      if (first === undefined) continue;
      remove(tenant, first);
      if (waiters.size > 0) {
        waitingBy.delete(tenant);
        waitingBy.set(tenant, waiters);
      }
      return first;
    }
    return undefined;
  }

  function remove(tenant: string, waiter: Waiter): void {
    const waiters = waitingBy.get(tenant);
    waiters?.delete(waiter);
    if (waiters?.size === 0) waitingBy.delete(tenant);
  }

  function wait(tenant: string): Promise<() => void> {
    const waiters = waitingBy.get(tenant) ?? new Set();
    if (waiters.size >= maxWaiting(tenant)) return Promise.reject(refuse(tenant, 'full'));
    waitingBy.set(tenant, waiters);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        remove(tenant, waiter);
        reject(refuse(tenant, 'late'));
      }, waitTimeoutMs);
      // A caller that waits for a place does not keep the process alive.
      timer.unref();
      const waiter: Waiter = {
        admit() {
          clearTimeout(timer);
          resolve(hold(tenant));
        },
      };
      waiters.add(waiter);
    });
  }

  return {
    async take(tenant) {
      // A later request of a tenant does not overtake its waiting ones.
      if (!waitingBy.has(tenant) && room.mayTake(tenant)) return hold(tenant);
      return wait(tenant);
    },
    usage: room.usage,
    waiting: () => waitingBy.entries().map(([tenant, waiters]) => [tenant, waiters.size] as const),
  };
}
