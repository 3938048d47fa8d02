import type { Clock } from '#lib/runtime';

/**
 * Items that arrive while a tenant's previous group is running form its next group. An item that arrives while nothing is running runs at
 * once, alone. A tenant runs one group at a time, since its groups would wait for each other in the database, for the tenant's clock.
 *
 * Clients that were answered together come back together: after a group of several, the next one waits until as many have come, or for a
 * part of the last one's duration. Otherwise the first would run alone, and all others after it.
 */

export interface GathererOptions<Item, Outcome> {
  /** @returns the outcome of each, in order; a rejection is the outcome of all */
  run(group: readonly Item[]): Promise<readonly Outcome[]>;
  /** Limits of a group; a single item may be larger. */
  maxItems: number;
  maxBytes: number;
  /** The longest wait for the next group, after a group of several that took so long. */
  lingerMs(tookMs: number): number;
  bytesOf(item: Item): number;
  /** How many items of a tenant may wait, besides its group under way. */
  maxWaiting(tenant: string): number;
  waitTimeoutMs: number;
  refuse(tenant: string, why: 'full' | 'late'): Error;
  clock: Clock;
}

export interface Gatherer<Item, Outcome> {
  /** @throws the error of `run` or `refuse`: too many are waiting, or this one waited too long */
  add(tenant: string, item: Item): Promise<Outcome>;
  /** How many of each tenant wait for their group to begin. */
  waiting(): Iterable<readonly [tenant: string, waiting: number]>;
}

interface Waiter<Item, Outcome> {
  item: Item;
  addedAtMs: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** The state of a tenant that has a group under way, or has just had one. */
interface Lane<Item, Outcome> {
  waiters: Waiter<Item, Outcome>[];
  /** There while the next group is waited for. */
  lingering: { wanted: number; end: AbortController } | undefined;
  /** Set while a check for items that waited too long is running. */
  watch: AbortController | undefined;
}

export function createGatherer<Item, Outcome>(options: GathererOptions<Item, Outcome>): Gatherer<Item, Outcome> {
  const { run, lingerMs, maxWaiting, waitTimeoutMs, refuse, clock } = options;
  const lanes = new Map<string, Lane<Item, Outcome>>();

  async function runGroup(group: readonly Waiter<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await run(group.map(({ item }) => item));
      group.forEach(({ resolve }, at) => resolve(outcomes[at] as Outcome));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async function work(tenant: string, lane: Lane<Item, Outcome>): Promise<void> {
    while (lane.waiters.length > 0) {
      const group = lane.waiters.splice(0, sizeOfGroup(lane.waiters, options));
      const beganAtMs = clock.monotonicMs();
      await runGroup(group);
      if (group.length > 1) await linger(lane, group.length, lingerMs(clock.monotonicMs() - beganAtMs));
    }
    lanes.delete(tenant);
    lane.watch?.abort();
  }

  async function linger(lane: Lane<Item, Outcome>, wanted: number, forMs: number): Promise<void> {
    if (lane.waiters.length >= wanted) return;
    lane.lingering = { wanted, end: new AbortController() };
    await clock.sleep(forMs, lane.lingering.end.signal);
    lane.lingering = undefined;
  }

  /** One timer a tenant, however many wait. */
  async function refuseLate(tenant: string, lane: Lane<Item, Outcome>): Promise<void> {
    const watch = new AbortController();
    lane.watch = watch;
    for (let [first] = lane.waiters; first !== undefined; [first] = lane.waiters) {
      await clock.sleep(Math.max(0, first.addedAtMs + waitTimeoutMs - clock.monotonicMs()), watch.signal);
      const inTime = lane.waiters.findIndex(({ addedAtMs }) => addedAtMs + waitTimeoutMs > clock.monotonicMs());
      const late = lane.waiters.splice(0, inTime === -1 ? lane.waiters.length : inTime);
      for (const { reject } of late) reject(refuse(tenant, 'late'));
    }
    lane.watch = undefined;
  }

  return {
    add: (tenant, item) =>
      new Promise((resolve, reject) => {
        const waiter = { item, addedAtMs: clock.monotonicMs(), resolve, reject };
        const lane = lanes.get(tenant);
        if (lane === undefined) {
          const begun = { waiters: [waiter], lingering: undefined, watch: undefined };
          lanes.set(tenant, begun);
          void work(tenant, begun);
        } else if (lane.waiters.length >= maxWaiting(tenant)) {
          reject(refuse(tenant, 'full'));
        } else {
          lane.waiters.push(waiter);
          const { lingering, waiters } = lane;
          if (lingering !== undefined && waiters.length >= lingering.wanted) lingering.end.abort();
          if (lane.watch === undefined) void refuseLate(tenant, lane);
        }
      }),
    waiting: () => lanes.entries().map(([tenant, { waiters }]) => [tenant, waiters.length] as const),
  };
}

/** The number of first items that fit into one group. */
function sizeOfGroup<Item, Outcome>(
  waiters: readonly Waiter<Item, Outcome>[],
  { maxItems, maxBytes, bytesOf }: GathererOptions<Item, Outcome>,
): number {
  let bytes = 0;
  const most = Math.min(waiters.length, maxItems);
  for (let size = 0; size < most; size += 1) {
    bytes += bytesOf((waiters[size] as Waiter<Item, Outcome>).item);
    if (bytes > maxBytes) return Math.max(1, size);
  }
  return most;
}
