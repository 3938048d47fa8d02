/**
 * Places that all tenants share, such as the connections of a pool. A tenant that holds its share waits (shared-room.ts); what
 * becomes free goes to the waiting tenants in turns, and within a tenant to whoever came first.
 *
 * Places are taken again as soon as there is one for somebody who waits: a tenant never waits for places that lie idle, but for the part
 * that the rule keeps free for newcomers.
 */
import { createSharedRoom } from './shared-room.ts';

export interface SharedPlaces {
  /**
   * Resolves with what gives the place back, which may be called more than once.
   *
   * @returns rejects with what `refuse` makes: `full` where the tenant has as many waiting as it may, `late` where this one has waited for
   *   too long, for whatever reason those before it hold their places
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
  /** In the order of turns: who was served last stands last. */
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
      // Nobody overtakes those of the same tenant who wait already.
      if (!waitingBy.has(tenant) && room.mayTake(tenant)) return hold(tenant);
      return wait(tenant);
    },
    usage: room.usage,
    waiting: () => waitingBy.entries().map(([tenant, waiters]) => [tenant, waiters.size] as const),
  };
}
