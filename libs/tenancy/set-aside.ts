/**
 * Items of tenants that are waited for: another transaction holds the clock of such a tenant, or has locked rows of it. They are written
 * beside the partitions that they came from, so that what is behind them goes on.
 *
 *   set aside ──► waits behind what its tenant has here ──► written, by itself ──► done
 *                                                             └─ still locked, or the store is away: again, after a pause
 *
 * It guarantees: a tenant's items are written in the order in which they were set aside, one write at a time; a tenant is here until all of
 * them are written, so that later ones can be told to queue up behind them; items that nobody wants any more, because their partition was
 * lost, are dropped unwritten. Tenants take turns, and one is tried at a time. What is here is bounded: at the
 * bound, `room` has callers wait, and with them their partitions. A tenant alone takes up half of it at the most.
 */
import { type Clock, fullJitterMs, type Random } from '#lib/runtime';

export interface SetAside<T> {
  /** Whether the tenant has something here: what comes later must be set aside, too. */
  has(tenant: string): boolean;
  isEmpty(): boolean;
  add(tenant: string, items: readonly T[]): void;
  /** Resolves when these tenants may set more aside, or the signal aborts. */
  room(tenants: readonly string[], signal: AbortSignal): Promise<void>;
}

export interface SetAsideLimits {
  maxItems: number;
  maxBytes: number;
  /** Items of one write. */
  maxAtOnce: number;
}

interface Options<T> {
  /** Writes items of one tenant, each once. @returns those that are not written: the last ones, in their order */
  write(items: readonly T[]): Promise<readonly T[]>;
  bytesOf(item: T): number;
  /** False: its partition was lost. */
  isWanted(item: T): boolean;
  limits: SetAsideLimits;
  clock: Clock;
  random: Random;
  /** The tenant has been tried in vain for the first time. */
  onWaiting?(tenant: string): void;
  /** A write has failed. Nothing of the tenant is written from then on: the process must end. */
  onFailure(error: unknown): void;
}

interface Held<T> {
  tenant: string;
  items: T[];
  bytes: number;
  /** Tries in vain, one after the other. */
  tries: number;
  /** When it is to be tried again, by the monotonic clock. */
  dueAtMs: number;
  /** Records behind one that has failed must not be written before it. */
  hasFailed: boolean;
}

/** Between two tries. The tenant's own events are readable so much later than the lock is given back. */
const pause = { baseMs: 100, capMs: 1_000 };

export function createSetAside<T>(options: Options<T>): SetAside<T> {
  const { write, bytesOf, isWanted, limits, clock, random } = options;
  const tenants = new Map<string, Held<T>>();
  const waiting = new Set<() => void>();
  const total = { items: 0, bytes: 0 };
  let isWorking = false;
  let woken = new AbortController();

  function add(tenant: string, items: readonly T[]): void {
    const held = tenants.get(tenant) ?? newcomer(tenant, clock.monotonicMs());
    tenants.set(tenant, held);
    held.items.push(...items);
    count(held, items, 1);
    if (isWorking) woken.abort();
    else void work();
  }

  function count(held: Held<T>, items: readonly T[], sign: 1 | -1): void {
    const bytes = sign * items.reduce((sum, item) => sum + bytesOf(item), 0);
    held.bytes += bytes;
    total.bytes += bytes;
    total.items += sign * items.length;
  }

  async function work(): Promise<void> {
    isWorking = true;
    for (let next = nextTenant(); next !== undefined; next = nextTenant()) {
      const waitMs = next.dueAtMs - clock.monotonicMs();
      if (waitMs > 0) {
        woken = new AbortController();
        await clock.sleep(waitMs, woken.signal);
      } else await attempt(next);
    }
    isWorking = false;
  }

  function nextTenant(): Held<T> | undefined {
    let next: Held<T> | undefined;
    for (const held of tenants.values())
      if (!held.hasFailed && (next === undefined || held.dueAtMs < next.dueAtMs)) next = held;
    return next;
  }

  async function attempt(held: Held<T>): Promise<void> {
    keep(held, held.items.filter(isWanted));
    const some = held.items.slice(0, limits.maxAtOnce);
    const left = some.length === 0 ? [] : await write(some).catch(options.onFailure);
    if (left === undefined) held.hasFailed = true;
    else {
      keep(held, [...left, ...held.items.slice(some.length)]);
      const isInVain = left.length > 0 && left.length === some.length;
      if (isInVain && held.tries === 0) options.onWaiting?.(held.tenant);
      held.dueAtMs = clock.monotonicMs() + (isInVain ? pause.baseMs + fullJitterMs(pause, held.tries, random) : 0);
      held.tries = isInVain ? held.tries + 1 : 0;
    }
    if (held.items.length === 0) tenants.delete(held.tenant);
    for (const look of waiting) look();
  }

  function keep(held: Held<T>, items: T[]): void {
    const kept = new Set(items);
    count(
      held,
      held.items.filter((item) => !kept.has(item)),
      -1,
    );
    held.items = items;
  }

  function hasRoom(tenant: string): boolean {
    const held = tenants.get(tenant);
    if (held === undefined) return true;
    const isWithin = held.items.length <= limits.maxItems / 2 && held.bytes <= limits.maxBytes / 2;
    return isWithin && total.items <= limits.maxItems && total.bytes <= limits.maxBytes;
  }

  return {
    has: (tenant) => tenants.has(tenant),
    isEmpty: () => tenants.size === 0,
    add,
    async room(wanted, signal) {
      const isGiven = (): boolean => signal.aborted || wanted.every(hasRoom);
      if (isGiven()) return;
      const given = Promise.withResolvers<void>();
      const look = (): void => {
        if (isGiven()) given.resolve();
      };
      waiting.add(look);
      signal.addEventListener('abort', look);
      await given.promise;
      waiting.delete(look);
      signal.removeEventListener('abort', look);
    },
  };
}

const newcomer = <T>(tenant: string, dueAtMs: number): Held<T> => ({
  tenant,
  items: [],
  bytes: 0,
  tries: 0,
  dueAtMs,
  hasFailed: false,
});
