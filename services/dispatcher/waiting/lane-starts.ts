/**
 * The place where the next read of the table begins, for each tenant in each partition. A read ends early if a tenant has more due than it
 * has room for. The next read then starts after the lane at which that one ended, or from the first lane if it reached the last. So each
 * lane gets its turn, however much the first of them has.
 */
import type { DueRow, LaneStart } from './waiting-table.ts';

export interface LaneStarts {
  all(): LaneStart[];
  /** The rows that a reading from these starts has found. */
  read(found: readonly Pick<DueRow, 'partition' | 'tenant' | 'readTo'>[]): void;
}

export function createLaneStarts(): LaneStarts {
  let starts = new Map<string, LaneStart>();
  return {
    all: () => [...starts.values()],
    read(found) {
      starts = new Map();
      for (const { partition, tenant, readTo } of found)
        if (readTo !== undefined) starts.set(`${partition}/${tenant}`, { partition, tenant, endpointId: readTo });
    },
  };
}
