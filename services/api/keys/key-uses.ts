import type { Query } from '#lib/postgres';
import { type Clock, formatMicros, inRounds, type Logger, type Part, toAppError } from '#lib/runtime';

/** Each key is written at most once a minute: the last use is for finding unused keys, where days matter. */
const everyMs = 60_000;

export interface Uses extends Part {
  note(credential: { tenant: string; id: string }): void;
}

export interface UsesOptions {
  postgres: Query;
  clock: Clock;
  log: Logger;
}

/** The last use of each key: kept in memory and written periodically, so that no request waits for it. */
export function createKeyUses({ postgres, clock, log }: UsesOptions): Uses {
  let used = new Map<string, { tenant: string; atMs: number }>();

  const write = async (): Promise<void> => {
    if (used.size === 0) return;
    const batch = used;
    used = new Map();
    try {
      const ids = [...batch.keys()].sort();
      const tenants = ids.map((id) => batch.get(id)?.tenant);
      const times = ids.map((id) => formatMicros((batch.get(id)?.atMs ?? 0) * 1_000));
      // `changed_at` stays: followers of the table need not reload the row.
      await postgres.query(
        `UPDATE api_keys k
            SET last_used_at = greatest(k.last_used_at, u.at)
           FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS u (tenant, id, at)
          WHERE k.tenant = u.tenant AND k.id = u.id`,
        [tenants, ids, times],
      );
    } catch (error) {
      used = new Map([...batch, ...used]);
      log.warn({ event: 'key_uses.not_written', keys: batch.size, err: toAppError(error) });
    }
  };
  return {
    ...inRounds(write, { name: 'key uses', everyMs, waitsFirst: true, lastRound: true, clock, log }),
    note: ({ tenant, id }) => void used.set(id, { tenant, atMs: clock.nowMs() }),
  };
}
