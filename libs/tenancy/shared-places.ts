/**
 * Places that all tenants share, such as the connections of a pool. A tenant that holds its share waits (shared-room.ts). A free place goes
 * to the waiting tenants in turns, and within a tenant to the first waiter.
 *
 * A place that becomes free is given out at once if somebody waits: no tenant waits for idle places, except those reserved for newcomers.
 */
import { AppError } from '#lib/runtime';
import { createSharedRoom } from './shared-room.ts';

export interface SharedPlaces {
  /**
   * Resolves with a function that gives the place back, and may be called more than once.
   *
   * @param signal aborts when the caller does not wait any more: it takes no place, and its waiting counts no longer
   * @returns rejects with the result of `refuse`: `full` if the tenant has too many waiters, `late` if this one has waited too long; with an
   *   AppError `stopped` if the signal has aborted
   */
  take(tenant: string, signal?: AbortSignal): Promise<() => void>;
  /** How many the tenant holds. */
  held(tenant: string): number;
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

const hasLeft = (): AppError => new AppError('stopped', 'given up: nobody waits for the place');

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

  function wait(tenant: string, signal: AbortSignal | undefined): Promise<() => void> {
    const waiters = waitingBy.get(tenant) ?? new Set();
    if (waiters.size >= maxWaiting(tenant)) return Promise.reject(refuse(tenant, 'full'));
    waitingBy.set(tenant, waiters);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', leave);
        remove(tenant, waiter);
        reject(refuse(tenant, 'late'));
      }, waitTimeoutMs);
      // A caller that waits for a place does not keep the process alive.
      timer.unref();
      const leave = (): void => {
        clearTimeout(timer);
        remove(tenant, waiter);
        reject(hasLeft());
      };
      const waiter: Waiter = {
        admit() {
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          resolve(hold(tenant));
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiters.add(waiter);
    });
  }

  return {
    async take(tenant, signal) {
      if (signal?.aborted === true) throw hasLeft();
      // A later request of a tenant does not overtake its waiting ones.
      if (!waitingBy.has(tenant) && room.mayTake(tenant)) return hold(tenant);
      return wait(tenant, signal);
    },
    held: room.held,
    usage: room.usage,
    waiting: () => waitingBy.entries().map(([tenant, waiters]) => [tenant, waiters.size] as const),
  };
}
