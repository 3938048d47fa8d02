import type { ProcessName } from '../../support/pipeline.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The members of one group, by their logs. */
export interface GroupWatch {
  onLine(name: string, line: string): void;
  /** How many partitions the process had after its last join. */
  owned(name: ProcessName): number;
  /** From now on: a join that was before does not count. */
  untilOwnsAll(name: ProcessName, timeoutMs: number): Promise<void>;
  /** Joins of all members so far: each rebalance counts once per member. */
  joins(): number;
}

export function createGroupWatch(group: string, partitions: number): GroupWatch {
  const joins = new Map<string, { assigned: number; count: number }>();
  const countOf = (name: string): number => joins.get(name)?.count ?? 0;
  return {
    onLine(name, line) {
      if (!line.includes('consumer.joined')) return;
      const joined = JSON.parse(line) as { group: string; assigned: number };
      if (joined.group === group) joins.set(name, { assigned: joined.assigned, count: countOf(name) + 1 });
    },
    owned: (name) => joins.get(name)?.assigned ?? 0,
    async untilOwnsAll(name, timeoutMs) {
      const before = countOf(name);
      await waitUntil(
        `${name} owns all ${partitions} partitions`,
        () => countOf(name) > before && joins.get(name)?.assigned === partitions,
        { timeoutMs },
      );
    },
    joins: () => joins.values().reduce((sum, { count }) => sum + count, 0),
  };
}
