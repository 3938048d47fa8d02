/**
 * Group commit: the writes of all partitions go into a transaction together. Writes of one tenant come one after the other anyway, since
 * each holds its clock.
 *
 *   handed over ──► prepared with what comes in the same turn of the loop, or during the last preparation: what needs no clock is written
 *     ──► waits for the transaction that is under way ──► committed with all that wait by then, if its tenant's clock is free
 *           ├─ another holds it: with the next ones; or, for the first of such tenants, by itself on another connection, which waits for it
 *           ├─ a lock is waited for too long ──► each tenant's by itself: those of one whose locks are held are left to who handed them over
 *           └─ the data is refused, or it takes too long ──► each call's by itself: only its own can be to blame
 *
 * While one group is committed the next is prepared, and grows. No clock is held while another is waited for. So a tenant whose clock or rows
 * are locked delays others by the time limit of the store's locks, once: whoever is left with its items hands over no more of them.
 */
import { isLocked, isTimedOut } from '#lib/postgres';
import { isAppError } from '#lib/runtime';
import { createPartQueue, type Handed, type Part } from './part-queue.ts';

/**
 * Writes everything, or fails; after a failure, repeating it is safe.
 *
 * @returns the tenants whose items were not written, because others hold their clocks or have locked their rows: none as a rule
 */
export type Write<T> = (items: readonly T[], bytes: number) => Promise<ReadonlySet<string>>;

/** Each method writes everything or nothing, and changes nothing when repeated. None waits long for a lock: it fails (`isLocked`). */
export interface Store<T> {
  /** Writes the rows that need no clock. */
  prepare(items: readonly T[]): Promise<void>;
  /** Commits for the tenants whose clocks are free. @returns these tenants */
  commitFree(items: readonly T[]): Promise<ReadonlySet<string>>;
  /** Commits for one tenant, waiting for its clock. */
  commitWaiting(items: readonly T[]): Promise<void>;
}

interface Options<T> {
  store: Store<T>;
  /**
   * Most items that are prepared together from several calls, so that one call's are committed while another's are prepared; one call's
   * items are never divided.
   */
  maxItems: number;
  maxBytes: number;
  /** Most rows that are committed together: one item may be a thousand of them. */
  maxRows: number;
  rowsOf(item: T): number;
  tenantOf(item: T): string;
}

export function createGroupCommit<T>(options: Options<T>): Write<T> {
  const { store, maxItems, maxBytes, maxRows, rowsOf, tenantOf } = options;
  const handedOver: Handed<T>[] = [];
  const queue = createPartQueue<T>(maxRows);
  /** Tenants whose clocks were held by others when they were last asked for, in that order. */
  const busy = new Set<string>();
  /** The one of them whose clock is waited for. */
  let awaited: string | undefined;

  const prepareAll = oneAtATime(async () => {
    await new Promise(setImmediate);
    while (handedOver.length > 0) await prepare(takeHanded());
  });

  const commitAll = oneAtATime(async () => {
    const mayBeFree = (tenant: string): boolean => !busy.has(tenant);
    // Tenants whose clocks are busy make no group by themselves: they would be asked for again and again.
    while (queue.has(mayBeFree)) await commit(queue.take(mayBeFree, (tenant) => tenant !== awaited));
  });

  const commitBusy = oneAtATime(async () => {
    for (let [tenant] = busy; tenant !== undefined; [tenant] = busy) {
      awaited = tenant;
      const parts = queue.take((each) => each === tenant);
      await divided(parts, async (some) => {
        await store.commitWaiting(itemsOf(some));
        some.forEach(end);
      });
      awaited = undefined;
      busy.delete(tenant);
      commitAll();
    }
  });

  /** In the order in which they came. */
  function takeHanded(): Handed<T>[] {
    let [count, items, bytes] = [0, 0, 0];
    for (const each of handedOver) {
      items += each.items.length;
      bytes += each.bytes;
      if (count > 0 && (items > maxItems || bytes > maxBytes)) break;
      count += 1;
    }
    return handedOver.splice(0, count);
  }

  async function prepare(group: readonly Handed<T>[]): Promise<void> {
    await divided(group.flatMap(partsOf), async (some) => {
      await store.prepare(itemsOf(some));
      queue.add(some);
    });
    commitAll();
  }

  async function commit(group: readonly Part<T>[]): Promise<void> {
    await divided(group, async (some) => {
      const written = await store.commitFree(itemsOf(some));
      for (const tenant of written) busy.delete(tenant);
      const held = some.filter(({ tenant }) => !written.has(tenant));
      queue.putBack(held);
      for (const { tenant } of held) busy.add(tenant);
      for (const part of some) if (written.has(part.tenant)) end(part);
    });
    commitBusy();
  }

  /** Together; where a lock is held, of each tenant by itself; where the data is refused, or it takes too long, of each call by itself. */
  async function divided(group: readonly Part<T>[], work: (group: readonly Part<T>[]) => Promise<void>): Promise<void> {
    try {
      if (group.length > 0) await work(group);
    } catch (error) {
      if (isLocked(error)) return dividedByTenant(group, work);
      const calls = Map.groupBy(group, ({ handed }) => handed);
      const isDivided = calls.size > 1 && (isAppError(error, 'data_invalid') || isTimedOut(error));
      for (const [handed, ofCall] of calls)
        if (isDivided) await divided(ofCall, work);
        else fail(handed, error);
    }
  }

  /** The error does not say whose lock it is. */
  async function dividedByTenant(...[group, work]: Parameters<typeof divided>): Promise<void> {
    const tenants = Map.groupBy(group, ({ tenant }) => tenant);
    for (const ofTenant of tenants.values())
      if (tenants.size > 1) await divided(ofTenant, work);
      else ofTenant.forEach(leave);
  }

  function partsOf(handed: Handed<T>): Part<T>[] {
    const parts = [...Map.groupBy(handed.items, tenantOf)].map(([tenant, items]) => {
      return { handed, tenant, items, rows: items.reduce((sum, item) => sum + rowsOf(item), 0) };
    });
    handed.open = parts.length;
    return parts;
  }

  return (items, bytes) => {
    const written = Promise.withResolvers<ReadonlySet<string>>();
    handedOver.push({ items, bytes, open: 0, left: none, hasFailed: false, written });
    prepareAll();
    return written.promise;
  };
}

/** A call during a run causes one more run: work that came after the last look is not left lying. */
function oneAtATime(work: () => Promise<void>): () => void {
  let [isRunning, isWanted] = [false, false];
  async function runAll(): Promise<void> {
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isRunning = false;
  }
  return () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    void runAll();
  };
}

function end({ handed }: Part<unknown>): void {
  handed.open -= 1;
  if (handed.open === 0) handed.written.resolve(handed.left);
}

function leave(part: Part<unknown>): void {
  part.handed.left = new Set([...part.handed.left, part.tenant]);
  end(part);
}

function fail(handed: Handed<unknown>, error: unknown): void {
  handed.hasFailed = true;
  handed.written.reject(error);
}

const none: ReadonlySet<string> = new Set();

const itemsOf = <T>(parts: readonly Part<T>[]): T[] => parts.flatMap(({ items }) => items);
