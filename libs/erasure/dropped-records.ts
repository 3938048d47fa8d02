import type { Query } from '#lib/postgres';
import { type Clock, inRounds, type Logger, type Part } from '#lib/runtime';

/** Counts records of deleted tenants that a consumer drops. What is not written yet is lost with the process. */
export interface DroppedRecords extends Part {
  count(tenant: string): void;
}

const everyMs = 5_000;

/** In the transaction that drops them, or behind it. */
export async function addDropped(query: Query, counts: ReadonlyMap<string, number>): Promise<void> {
  if (counts.size === 0) return;
  await query.query(
    `UPDATE erasures e SET dropped = e.dropped + c.n
       FROM unnest($1::text[], $2::bigint[]) AS c (tenant, n)
      WHERE e.tenant = c.tenant AND e.kind = 'tenant'`,
    [[...counts.keys()], [...counts.values()]],
  );
}

export function createDroppedRecords({
  postgres,
  clock,
  log,
}: {
  postgres: Query;
  clock: Clock;
  log: Logger;
}): DroppedRecords {
  let counts = new Map<string, number>();
  const write = async (): Promise<void> => {
    const written = counts;
    counts = new Map();
    try {
      await addDropped(postgres, written);
    } catch (error) {
      for (const [tenant, n] of written) counts.set(tenant, (counts.get(tenant) ?? 0) + n);
      throw error;
    }
  };
  return {
    ...inRounds(write, { name: 'dropped records', everyMs, waitsFirst: true, lastRound: true, clock, log }),
    count: (tenant) => void counts.set(tenant, (counts.get(tenant) ?? 0) + 1),
  };
}
