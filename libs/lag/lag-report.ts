/**
 * Reports which tenants' events are late at a stage, for those who can have their senders wait (lag-reading.ts). A report is worth nothing after a
 * second, so nothing is kept: while no event is late, nothing is written and no timer runs; a report that is lost slows nobody down.
 */
import type { Redis } from '#lib/redis';
import type { Clock } from '#lib/runtime';
import { formatLag, type LagEntry, lagKey, type LagStage, ownLagMs } from './lag-entry.ts';

export interface LagReport {
  /**
   * An event has reached the stage.
   *
   * @param receivedAt when it was received, in microseconds since the epoch
   */
  note(event: { tenant: string; partition: number; receivedAt: number }): void;
}

interface Options {
  redis: Pick<Redis, 'runScript'>;
  /** The prefix of all keys of this deployment. */
  prefix: string;
  stage: LagStage;
  clock: Clock;
}

interface Noted {
  events: number;
  /** The youngest: a partition's latest progress, and of several ingresses the one whose clock is ahead. */
  receivedAtMs: number;
  ageMs: number;
}

/** Reports, and readings of them. */
export const lagIntervalMs = 250;
/** Below it, nobody is slowed down: 19 ms are usual. */
export const lagFromMs = 250;
/** Four reports may be late or lost. */
const keptMs = 1_000;
/** A process remembers so many tenants of an interval; further ones are not slowed down. */
const maxTenants = 1_000;

const script = `
for i, key in ipairs(KEYS) do redis.call('SET', key, ARGV[i + 1], 'PX', ARGV[1]) end
return #KEYS`;

export function createLagReport({ redis, prefix, stage, clock }: Options): LagReport {
  let sinceMs = clock.monotonicMs();
  let tenants = new Map<string, Map<number, Noted>>();

  function report(): void {
    const entries = entriesOf(tenants).filter(({ entry }) => ownLagMs(entry, Number.POSITIVE_INFINITY) >= lagFromMs);
    if (entries.length === 0) return;
    const keys = entries.map(({ tenant }) => lagKey(prefix, stage, tenant));
    const args = [String(keptMs), ...entries.map(({ entry }) => formatLag(entry))];
    redis.runScript(script, keys, args).catch(() => undefined);
  }

  return {
    note({ tenant, partition, receivedAt }) {
      const spentMs = clock.monotonicMs() - sinceMs;
      if (spentMs >= lagIntervalMs) {
        // Notes from before a pause say nothing about now.
        if (spentMs < 2 * lagIntervalMs) report();
        tenants = new Map();
        sinceMs += spentMs;
      }
      let partitions = tenants.get(tenant);
      if (partitions === undefined) {
        if (tenants.size >= maxTenants) return;
        tenants.set(tenant, (partitions = new Map<number, Noted>()));
      }
      const receivedAtMs = receivedAt / 1_000;
      const noted = partitions.get(partition);
      const ageMs = clock.nowMs() - receivedAtMs;
      if (noted === undefined) partitions.set(partition, { events: 1, receivedAtMs, ageMs });
      else {
        noted.events += 1;
        noted.receivedAtMs = Math.max(noted.receivedAtMs, receivedAtMs);
        noted.ageMs = Math.min(noted.ageMs, ageMs);
      }
    },
  };
}

/** A tenant's partitions count by their events. */
function entriesOf(tenants: ReadonlyMap<string, ReadonlyMap<number, Noted>>): { tenant: string; entry: LagEntry }[] {
  const sums = [...tenants].map(([tenant, partitions]) => {
    const sum = { tenant, events: 0, ageMs: 0, receivedAtMs: 0 };
    for (const { events, ageMs, receivedAtMs } of partitions.values()) {
      sum.events += events;
      sum.ageMs += events * ageMs;
      sum.receivedAtMs += events * receivedAtMs;
    }
    return sum;
  });
  const all = sums.reduce((total, { events }) => total + events, 0);
  return sums.map(({ tenant, events, ageMs, receivedAtMs }) => ({
    tenant,
    entry: { ageMs: ageMs / events, receivedAtMs: receivedAtMs / events, share: events / all },
  }));
}
