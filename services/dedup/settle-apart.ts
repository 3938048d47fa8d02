/**
 * Settles batches without the tenants that are waited for: another transaction has locked rows of theirs. Their records are settled beside the
 * partitions, in their order, when the lock is given back; what comes of such a tenant meanwhile queues up behind them.
 */
import { whenAllAborted } from '#lib/kafka';
import { type Clock, isAppError, type Logger, type Random, toAppError } from '#lib/runtime';
import { createSetAside, type SetAsideLimits } from '#lib/tenancy';
import type { Item } from './item.ts';
import type { Culprit, Settle } from './settle.ts';

export interface SettleApart {
  /**
   * Resolves when every record is settled but the culprits, their followers, and what is set aside; at the bound of what may be set aside it
   * waits, and with it the batch's partitions.
   *
   * @throws AppError stopped when the signal aborts
   */
  settle(items: readonly Item[], signal: AbortSignal): Promise<Culprit[]>;
  /** Resolves when no record is being settled beside the partitions. */
  idle(): Promise<void>;
}

interface Deps {
  settle: Settle;
  takeCulprits(culprits: readonly Culprit[]): Promise<void>;
  limits?: SetAsideLimits;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Reports an unexpected error. */
  fail(error: Error): void;
}

/** Half of it for one tenant. The partitions have bounds of their own: see `maxOutstanding` of libs/kafka. */
const defaultLimits: SetAsideLimits = { maxItems: 20_000, maxBytes: 32 * 1024 * 1024, maxAtOnce: 500 };

export function createSettleApart(deps: Deps): SettleApart {
  const { settle, takeCulprits, clock, random, log, fail } = deps;
  let writing: Promise<unknown> = Promise.resolve();

  const aside = createSetAside<Item>({
    write(items) {
      const settled = settleAside(items);
      writing = settled.catch(() => undefined);
      return settled;
    },
    bytesOf: ({ record }) => record.value.length,
    isWanted: ({ record }) => !record.signal.aborted,
    limits: deps.limits ?? defaultLimits,
    clock,
    random,
    onWaiting: (tenant) => log.warn({ event: 'tenant.waited_for', tenant }),
    onFailure: (error) => fail(toAppError(error)),
  });

  async function settleAside(items: readonly Item[]): Promise<readonly Item[]> {
    const { signal, forget } = whenAllAborted(items.map(({ record }) => record.signal));
    try {
      const { culprits, locked } = await settle(items, signal);
      await takeCulprits(culprits);
      return locked;
    } catch (error) {
      // Nobody wants them any more.
      if (isAppError(error, 'stopped')) return items;
      throw error;
    } finally {
      forget();
    }
  }

  function setAside(items: readonly Item[]): void {
    for (const [tenant, theirs] of Map.groupBy(items, tenantOf)) aside.add(tenant, theirs);
  }

  return {
    async settle(items, signal) {
      const held = new Set(aside.isEmpty() ? [] : items.map(tenantOf).filter(aside.has));
      const { free = [], behind = [] } = Object.groupBy(items, (item) =>
        held.has(tenantOf(item)) ? 'behind' : 'free',
      );
      setAside(behind);
      const { culprits, locked } = await settle(free, signal);
      setAside(locked);
      await aside.room([...new Set([...behind, ...locked].map(tenantOf))], signal);
      return culprits;
    },
    async idle() {
      await writing;
    },
  };
}

const tenantOf = ({ candidate }: Item): string => candidate.tenant;
