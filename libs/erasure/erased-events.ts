/**
 * Recent erasures, in memory, for the processes that publish and send: not older than 1.5 s for whoever asks while Postgres answers, as all
 * followed tables (docs/adr/0020-following-tables.md). Erasures older than `recentMs` are in nobody's memory: a record from before then, which
 * a consumer meets only when it is far behind or was set back, is looked up.
 */
import { type EventRef, run } from '#lib/event-store';
import { type FollowedRow, followTable, type Query, type Readings } from '#lib/postgres';
import type { Clock, Logger, Part } from '#lib/runtime';
import { erasedKey, findErased } from './erased-among.ts';

/** An event with the time from which there could be records of it, in microseconds. */
interface DatedEvent extends EventRef {
  since: number;
}

export interface ErasedEvents extends Pick<Readings, 'recent'> {
  /** Says from memory whether the event was erased lately, or its tenant deleted. */
  has(event: EventRef): boolean;
  /** Says from memory whether the tenant was deleted. */
  hasTenant(tenant: string): boolean;
  /**
   * Finds the erased ones among these, of any age.
   *
   * @param whileAway where there is no recent reading: `ask` looks all of them up, which fails while Postgres is away; `remember` goes by the last one
   * @throws AppError store_unavailable, only if it has to look one up
   */
  among<E extends DatedEvent>(events: readonly E[], whileAway?: 'ask' | 'remember'): Promise<ReadonlySet<E>>;
}

export interface FollowedErasures extends ErasedEvents, Part {
  /** Reads what is new now. */
  refresh(): Promise<void>;
}

interface Deps {
  /** For the readings of the table. */
  followPostgres: Query;
  /** For look-ups of old events. */
  postgres: Query;
  clock: Clock;
  log: Logger;
}

/** Rows are buried by the projector's retention after this, at the earliest. */
export const recentMs = 2 * 3_600_000;
/** Clocks differ, and a reading takes its time. */
const marginMs = 600_000;

export function createErasedEvents({ followPostgres, postgres, clock, log }: Deps): FollowedErasures {
  /** Ids by tenant: of a million events some 80 MB. */
  const known = new Map<string, Set<string>>();
  const table = followTable<FollowedRow>({
    table: 'erased',
    columns: 'tenant, id, changed_at, buried',
    bytes: '100',
    postgres: followPostgres,
    clock,
    log,
    // Taking one again changes nothing.
    knownChangedAt: () => undefined,
    takeRows(rows) {
      for (const { tenant, id, buried } of rows) {
        const ids = known.get(tenant) ?? new Set();
        if (buried) ids.delete(id);
        else ids.add(id);
        if (ids.size > 0) known.set(tenant, ids);
        else known.delete(tenant);
      }
    },
  });
  const hasTenant = (tenant: string): boolean => known.get(tenant)?.has('') === true;
  const has = ({ tenant, event_id: id }: EventRef): boolean => {
    const ids = known.get(tenant);
    return ids !== undefined && (ids.has(id) || ids.has(''));
  };

  return {
    ...table,
    name: 'erased events',
    has,
    hasTenant,
    async among(events, whileAway = 'ask') {
      const reading = table.recent();
      if (reading !== undefined) await reading;
      const found = new Set(events.filter(has));
      const isKnown = whileAway === 'remember' || table.isRecent();
      const before = isKnown ? (clock.nowMs() - recentMs + marginMs) * 1_000 : Number.POSITIVE_INFINITY;
      const old = events.filter((event) => event.since < before && !found.has(event));
      if (old.length === 0) return found;
      const asked = old.flatMap(({ tenant, event_id: id }) => [
        { tenant, id },
        { tenant, id: '' },
      ]);
      const rows = new Set((await run(postgres, findErased, asked)).map(erasedKey));
      for (const event of old) {
        const { tenant, event_id: id } = event;
        if (rows.has(erasedKey({ tenant, id })) || rows.has(erasedKey({ tenant, id: '' }))) found.add(event);
      }
      return found;
    },
  };
}
