/**
 * Tracks since when an endpoint has accepted nothing, and disables it after the configured time.
 *
 * Accepted means 2xx. Everything else counts as a failure, 4xx and 429 too: the owner gets no events, and has not fixed it for days. A
 * delivery that was not sent because of us (the secrets can't be decrypted) does not count.
 *
 * | a send                                            | then                                                     |
 * |---------------------------------------------------|----------------------------------------------------------|
 * | is accepted                                       | the count ends; the column is cleared within a second    |
 * | fails, the first                                  | the count begins; the column is set if failures go on    |
 * | fails, a day or more after the one before         | the count restarts: nothing was sent in between          |
 * | fails, the count is old enough, and this process  | disabled, for the revision that was sent to              |
 * | has watched it for a hundredth of that            |                                                          |
 *
 * The column `endpoints.failing_since` continues the count when this process ends or loses the partition. It doesn't tell what happened in
 * between, and a clearing may have been lost with its process while Postgres was away: hence the watching. A change by a user clears the
 * column (deploy/postgres/migrations), and a new revision starts a new count. Only a failing send disables: an endpoint without deliveries
 * is not failing.
 */
import { type Clock, formatMicros, microsOf, nowMicros } from '#lib/clock';
import type { Logger } from '#lib/log';
import type { Query } from '#lib/postgres';
import type { DisableEndpoint } from './disable-endpoint.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { laneKey } from '../model/job.ts';

export interface EndpointFailing {
  /** A send to the endpoint, in the state known then, has ended. */
  observe(endpoint: SentTo, taken: boolean): void;
  /** Writes the columns that have changed. @throws AppError store_unavailable; the next call writes the rest */
  settle(): Promise<void>;
}

type SentTo = Pick<Endpoint, 'tenant' | 'id' | 'revision' | 'changedAt' | 'failingSince'>;

interface Deps {
  postgres: Query;
  disableEndpoint: DisableEndpoint;
  failingMs: number;
  clock: Clock;
  log: Logger;
}

interface Count {
  readonly tenant: string;
  readonly id: string;
  readonly revision: number;
  /** In microseconds; null once something was taken. */
  since: number | null;
  /** The column as last read or written, with the row's `changed_at`. */
  column: { since: number | null; changedAt: number };
  watchedFromMs: number;
  lastFailedAtMs: number;
  /** Due to be disabled. */
  isDue: boolean;
}

/** The column is set only for lasting failures: an unstable endpoint costs at most two writes a minute. */
const setAfterMs = 60_000;
const gapMs = 24 * 3_600_000;
/** Past it, evict the oldest; it resumes from its column. */
const maxCounts = 10_000;

export function createEndpointFailing(deps: Deps): EndpointFailing {
  const { postgres, failingMs, clock, log } = deps;
  const watchMs = failingMs / 100;
  const counts = new Map<string, Count>();
  const keyOf = ({ tenant, id }: Pick<Endpoint, 'tenant' | 'id'>): string => laneKey({ tenant, endpointId: id });

  /** The count of this revision; undefined if another process has written a newer one. */
  function countOf(endpoint: SentTo): Count | undefined {
    const count = counts.get(keyOf(endpoint));
    if (count === undefined) return undefined;
    const isNewer = endpoint.revision > count.revision || endpoint.changedAt > count.column.changedAt;
    if (isNewer && (endpoint.revision !== count.revision || endpoint.failingSince !== count.column.since)) {
      counts.delete(keyOf(endpoint));
      return undefined;
    }
    if (isNewer) count.column.changedAt = endpoint.changedAt;
    return count;
  }

  function begin({ tenant, id, revision, changedAt, failingSince }: SentTo): Count {
    const [longest] = counts.keys();
    if (longest !== undefined && counts.size >= maxCounts) counts.delete(longest);
    const nowMs = clock.monotonicMs();
    const column = { since: failingSince, changedAt };
    const times = { since: failingSince, column, watchedFromMs: nowMs, lastFailedAtMs: nowMs };
    const count: Count = { tenant, id, revision, ...times, isDue: false };
    counts.set(keyOf(count), count);
    return count;
  }

  function failed(count: Count): void {
    const nowMs = clock.monotonicMs();
    if (count.since === null || nowMs - count.lastFailedAtMs >= gapMs) {
      count.since = nowMicros(clock);
      count.watchedFromMs = nowMs;
    }
    count.lastFailedAtMs = nowMs;
    count.isDue = nowMicros(clock) - count.since >= failingMs * 1_000 && nowMs - count.watchedFromMs >= watchMs;
  }

  function taken(count: Count): void {
    count.since = null;
    if (count.column.since === null) counts.delete(keyOf(count));
  }

  async function write(count: Count): Promise<void> {
    const { tenant, id, revision, since } = count;
    const [row] = await postgres.query<{ changed_at: string }>(
      `UPDATE endpoints SET failing_since = $4, changed_at = clock_timestamp()
        WHERE tenant = $1 AND id = $2 AND revision = $3 AND disabled_at IS NULL AND deleted_at IS NULL
      RETURNING changed_at`,
      [tenant, id, revision, since === null ? null : formatMicros(since)],
    );
    // Changed or closed: this count is over.
    if (row === undefined) return void counts.delete(keyOf(count));
    count.column = { since, changedAt: microsOf(row.changed_at) };
    log.info({ event: since === null ? 'endpoint.recovered' : 'endpoint.failing', tenant, endpointId: id });
  }

  async function settleOne(count: Count): Promise<void> {
    const { since, column } = count;
    const isLasting = since === null || nowMicros(clock) - since >= setAfterMs * 1_000;
    if (since !== column.since && isLasting) return write(count);
    if (since === null || since !== column.since || !count.isDue) return;
    const settled = await deps.disableEndpoint(count, { reason: 'failing', since });
    if (settled && counts.get(keyOf(count)) === count) counts.delete(keyOf(count));
  }

  return {
    observe(endpoint, wasTaken) {
      const known = counts.get(keyOf(endpoint));
      // Sent before a person changed it.
      if (known !== undefined && endpoint.revision < known.revision) return;
      const count = countOf(endpoint);
      if (!wasTaken) return failed(count ?? begin(endpoint));
      if (count !== undefined || endpoint.failingSince !== null) taken(count ?? begin(endpoint));
    },
    async settle() {
      for (const count of [...counts.values()]) await settleOne(count);
    },
  };
}
