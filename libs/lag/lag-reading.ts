/**
 * The lag of tenants, as far as this process knows it. It asks in the background, at most four times a second, and only while a tenant sends more than a
 * few events in that time: nobody waits for an answer, a process at rest asks nothing, and what is unknown or old is no lag.
 */
import type { Redis } from '#lib/redis';
import type { Clock } from '#lib/runtime';
import { type LagEntry, lagKey, lagStages, ownLagMs, parseLag } from './lag-entry.ts';
import { lagIntervalMs } from './lag-report.ts';

export interface LagReading {
  /** An event of the tenant was accepted. @returns how late its own events are, in milliseconds; 0 if that is not known */
  lagOf(tenant: string): number;
}

interface Options {
  redis: Pick<Redis, 'getMany'>;
  /** The prefix of all keys of this deployment. */
  prefix: string;
  clock: Clock;
}

/** Fewer events of a tenant in an interval make no flood. */
const fewEvents = 10;
/** After that, what was read is no lag. */
const keptMs = 1_000;
/** Asked about at once; further tenants are not slowed down. */
const maxTenants = 1_000;

export function createLagReading({ redis, prefix, clock }: Options): LagReading {
  let events = new Map<string, number>();
  let sinceMs = clock.monotonicMs();
  let lags: ReadonlyMap<string, number> = new Map();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let isReading = false;

  async function read(tenants: readonly string[]): Promise<void> {
    isReading = true;
    try {
      const keys = tenants.flatMap((tenant) => lagStages.map((stage) => Buffer.from(lagKey(prefix, stage, tenant))));
      const found = await redis.getMany(keys);
      const nowMs = clock.nowMs();
      const lagOf = (text: string | undefined): number => {
        const entry: LagEntry | undefined = text === undefined ? undefined : parseLag(text);
        return entry === undefined ? 0 : ownLagMs(entry, nowMs);
      };
      const before = lags;
      lags = new Map(
        tenants.flatMap((tenant, index) => {
          const at = index * lagStages.length;
          const stages = found.slice(at, at + lagStages.length).map((value) => lagOf(value?.value.toString('latin1')));
          // Half of the way: reports are a little old, and what answers them at once would swing.
          const lagMs = (Math.max(...stages) + (before.get(tenant) ?? 0)) / 2;
          return lagMs < 1 ? [] : [[tenant, lagMs] as const];
        }),
      );
      readAtMs = clock.monotonicMs();
    } catch {
      // Redis is away: what was read grows old.
    } finally {
      isReading = false;
    }
  }

  return {
    lagOf(tenant) {
      const nowMs = clock.monotonicMs();
      const known = events.get(tenant);
      if (known !== undefined || events.size < maxTenants) events.set(tenant, (known ?? 0) + 1);
      if (nowMs - sinceMs >= lagIntervalMs && !isReading) {
        const busy = [...events].filter(([, count]) => count >= fewEvents).map(([name]) => name);
        if (busy.length > 0) void read(busy);
        events = new Map();
        sinceMs = nowMs;
      }
      return nowMs - readAtMs < keptMs ? (lags.get(tenant) ?? 0) : 0;
    },
  };
}
