import { inRounds, toAppError } from '#lib/runtime';
import type { Uses, UsesOptions } from './key-uses.ts';
import { idleSeconds } from './session-directory.ts';

const roundEveryMs = 5_000;
/** Each session is written at most once in this time. */
const writeEveryMs = 60_000;

interface Use {
  tenant: string;
  usedAtMs: number;
  /** -Infinity: not by this process. */
  writtenAtMs: number;
}

/**
 * Moves the idle end of each session that is used: noted in memory, written in the background, so that no request waits for it. The first
 * use after a pause is written within seconds, for another process may be asked next.
 */
export function createSessionUses({ postgres, clock, log }: UsesOptions): Uses {
  const uses = new Map<string, Use>();

  async function write(isLast: boolean): Promise<void> {
    const nowMs = clock.monotonicMs();
    const due = [...uses].filter(
      ([, { usedAtMs, writtenAtMs }]) => usedAtMs > writtenAtMs && (isLast || nowMs - writtenAtMs >= writeEveryMs),
    );
    if (due.length > 0) await update(due, nowMs);
    for (const [id, { usedAtMs, writtenAtMs }] of uses)
      if (usedAtMs <= writtenAtMs && nowMs - writtenAtMs >= writeEveryMs) uses.delete(id);
  }

  async function update(due: readonly [string, Use][], nowMs: number): Promise<void> {
    try {
      // The age, not the time: the end is by the clock of the database. Rows in the order of their ids, so that two writers wait in no circle.
      await postgres.query(
        `WITH used AS MATERIALIZED (
           SELECT s.tenant, s.id, u.age
             FROM sessions s
             JOIN unnest($1::text[], $2::text[], $3::float8[]) AS u (tenant, id, age) USING (tenant, id)
            WHERE s.deleted_at IS NULL
            ORDER BY s.id
              FOR UPDATE OF s
         )
         UPDATE sessions s
            SET idle_expires_at = greatest(s.idle_expires_at, clock_timestamp() + make_interval(secs => $4 - used.age)),
                changed_at = clock_timestamp()
           FROM used
          WHERE s.tenant = used.tenant AND s.id = used.id`,
        [
          due.map(([, { tenant }]) => tenant),
          due.map(([id]) => id),
          due.map(([, { usedAtMs }]) => (nowMs - usedAtMs) / 1_000),
          idleSeconds,
        ],
      );
      for (const [, use] of due) use.writtenAtMs = nowMs;
    } catch (error) {
      log.warn({ event: 'session_uses.not_written', sessions: due.length, err: toAppError(error) });
    }
  }

  const rounds = inRounds((signal) => write(signal.aborted), {
    name: 'session uses',
    everyMs: roundEveryMs,
    waitsFirst: true,
    lastRound: true,
    clock,
    log,
  });
  return {
    ...rounds,
    note({ tenant, id }) {
      const usedAtMs = clock.monotonicMs();
      const known = uses.get(id);
      if (known === undefined) uses.set(id, { tenant, usedAtMs, writtenAtMs: Number.NEGATIVE_INFINITY });
      else known.usedAtMs = usedAtMs;
    },
  };
}
