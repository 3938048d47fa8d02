/**
 * Where the next reading of the table begins, for each tenant in each partition. A reading ends early in a tenant that has more due than it has
 * room for; the next resumes behind the lane at which that one ended, and from the first lane on where it came to the last. So each lane has
 * its turn, however many a tenant has, and however much the first of them.
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
