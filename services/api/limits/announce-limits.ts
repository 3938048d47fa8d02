/** Announces that a tenant has reached one of its limits (`hookline.tenant.limit_reached`), once a day (UTC) and limit, if it asks for that. */
import type { Query } from '#lib/postgres';
import { type Clock, formatMicros, inRounds, type Logger, type Part, toAppError } from '#lib/runtime';
import { type LimitName, limitTable, type TenantLimits } from '#lib/tenancy';

export interface AnnounceLimits extends Part {
  /** A request is refused at the limit. Never throws, and waits for nothing. */
  note(tenant: string, limit: LimitName): void;
}

interface Options {
  postgres: Query;
  limits: TenantLimits;
  clock: Clock;
  log: Logger;
}

interface Reached {
  tenant: string;
  limit: LimitName;
  atMs: number;
}

const everyMs = 2_000;
/** A new subscriber hears of a reached limit within so long; of a flood of refusals one in so long is more than a look at a map. */
const notedAgainAfterMs = 600_000;
/** Limits of tenants, remembered so that they are not noted again. */
const maxRemembered = 10_000;

const announce = `
  SELECT announce($1, 'hookline.tenant.limit_reached', $2, $3, jsonb_build_object(
    'maximum', $4::bigint, 'counts', $5::text, 'reached_at', $6::text))`;

export function createAnnounceLimits({ postgres, limits, clock, log }: Options): AnnounceLimits {
  const notedAtMs = new Map<string, number>();
  let reached: Reached[] = [];

  async function write(): Promise<void> {
    const batch = reached;
    reached = [];
    for (const { tenant, limit, atMs } of batch) {
      const at = formatMicros(Math.round(atMs * 1_000));
      const day = at.slice(0, '2026-01-01'.length);
      const { counts } = limitTable[limit];
      await postgres
        .query(announce, [tenant, limit, day, limits.of(tenant, limit), counts, at])
        .catch((error: unknown) => {
          notedAtMs.delete(`${tenant}/${limit}`);
          log.warn({ event: 'limit.not_announced', tenant, limit, err: toAppError(error) });
        });
    }
  }

  return {
    ...inRounds(write, { name: 'limits reached', everyMs, waitsFirst: true, lastRound: true, clock, log }),
    note(tenant, limit) {
      const key = `${tenant}/${limit}`;
      const atMs = clock.nowMs();
      if (atMs - (notedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < notedAgainAfterMs) return;
      if (notedAtMs.size >= maxRemembered) notedAtMs.clear();
      notedAtMs.set(key, atMs);
      reached.push({ tenant, limit, atMs });
    },
  };
}
