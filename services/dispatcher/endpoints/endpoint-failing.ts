/**
 * Tracks since when an endpoint has accepted nothing, announces that, and disables it after the configured time.
 *
 * Accepted means 2xx. Everything else counts as a failure, 4xx and 429 too: the owner gets no events, and has not fixed it for days. A
 * delivery that was not sent because of us (the secrets can't be decrypted) does not count.
 *
 * | a send                                            | then                                                     |
 * |---------------------------------------------------|----------------------------------------------------------|
 * | is accepted                                       | the count ends; the column is cleared within a second;   |
 * |                                                   | announced as recovered if the outage was announced       |
 * | fails, the first                                  | the count begins; the column is set if failures go on    |
 * | fails, the third or a later one, or time passes   | after ten minutes announced as failing, once an outage;  |
 * |                                                   | a day before the disabling, as disabling soon            |
 * | fails, a day or more after the one before         | the count restarts: nothing was sent in between          |
 * | fails, the count is old enough, and this process  | disabled, for the revision that was sent to              |
 * | has watched it for a hundredth of that            |                                                          |
 *
 * Time in which the endpoint is paused does not count, and nothing is announced in it.
 *
 * The column `endpoints.failing_since` continues the count when this process ends or loses the partition. It doesn't tell what happened in
 * between, and a clearing may have been lost with its process while Postgres was away: hence the watching. A change by a user clears the
 * column (deploy/postgres/migrations), and a new revision starts a new count. Only a failing send disables: an endpoint without deliveries
 * is not failing.
 *
 * An outage lasts from its announcement (`endpoints.outage_since`) to the next delivery that is accepted, across changes by a user; a closed
 * endpoint has none (deploy/postgres/migrations). Deliveries of operational events are not observed: see dispatch.ts.
 */
import { type Pause, pausedBetween } from '#lib/contract';
import { type Clock, type Logger, microsOf, nowMicros } from '#lib/runtime';
import type { Endpoint } from '../model/endpoint.ts';
import { laneKey } from '../model/job.ts';
import type { DisableEndpoint } from './disable-endpoint.ts';
import type { FailingTable } from './failing-table.ts';
import { askedOnce, type IsAskedFor } from './is-asked-for.ts';
import { isDisabledSoon, isOutage } from './outage-rules.ts';

export interface EndpointFailing {
  /** A send to the endpoint, in the state known then, has ended. */
  observe(endpoint: SentTo, taken: boolean): void;
  /** Writes the columns that have changed. @throws AppError store_unavailable; the next call writes the rest */
  settle(): Promise<void>;
}

type SentTo = Pick<Endpoint, 'tenant' | 'id' | 'revision' | 'changedAt' | 'failingSince' | 'outageSince'>;

interface Deps {
  table: FailingTable;
  isAskedFor: IsAskedFor;
  disableEndpoint: DisableEndpoint;
  /** As known now: a pause begins and ends without a send. */
  pausesOf(endpoint: Pick<Endpoint, 'tenant' | 'id'>): readonly Pause[];
  /** Waits for a recent reading of the pauses. */
  readPauses(): Promise<void> | undefined;
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
  /** Failed attempts that this process has seen since then. */
  failedAttempts: number;
  /** The columns as last read or written, with the row's `changed_at`. */
  column: { since: number | null; outageSince: number | null; changedAt: number };
  isDisablingAnnounced: boolean;
  watchedFromMs: number;
  lastFailedAtMs: number;
  /** Due to be disabled. */
  isDue: boolean;
}

/** The column is set only for lasting failures, and within a minute: an unstable endpoint costs at most three writes a minute. */
const setAfterMs = 45_000;
const gapMs = 24 * 3_600_000;
/** Past it, evict the oldest; it resumes from its column. */
const maxCounts = 10_000;

export function createEndpointFailing(deps: Deps): EndpointFailing {
  const { table, failingMs, clock, log } = deps;
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
    if (isNewer) Object.assign(count.column, { changedAt: endpoint.changedAt, outageSince: endpoint.outageSince });
    return count;
  }

  function begin({ tenant, id, revision, changedAt, failingSince, outageSince }: SentTo): Count {
    const [longest] = counts.keys();
    if (longest !== undefined && counts.size >= maxCounts) counts.delete(longest);
    const nowMs = clock.monotonicMs();
    const column = { since: failingSince, outageSince, changedAt };
    const times = { since: failingSince, column, watchedFromMs: nowMs, lastFailedAtMs: nowMs };
    const count: Count = {
      tenant,
      id,
      revision,
      ...times,
      failedAttempts: 0,
      isDisablingAnnounced: false,
      isDue: false,
    };
    counts.set(keyOf(count), count);
    return count;
  }

  /** The time of a pause counts neither as a gap nor as failing. */
  function failed(count: Count): void {
    const nowMs = clock.monotonicMs();
    const now = nowMicros(clock);
    const gap = unpausedTime(deps.pausesOf(count), now - (nowMs - count.lastFailedAtMs) * 1_000, now);
    if (count.since === null || gap >= gapMs * 1_000) {
      Object.assign(count, { since: now, failedAttempts: 0, isDisablingAnnounced: false });
      count.watchedFromMs = nowMs;
    }
    count.failedAttempts += 1;
    count.lastFailedAtMs = nowMs;
    count.isDue = now >= disablingAt(count, count.since ?? 0);
  }

  /** When the endpoint is disabled if it goes on failing. */
  function disablingAt(count: Count, since: number): number {
    const now = nowMicros(clock);
    const watchedForMs = clock.monotonicMs() - count.watchedFromMs;
    const failingForMs = unpausedTime(deps.pausesOf(count), since, now) / 1_000;
    return now + Math.max(failingMs - failingForMs, watchMs - watchedForMs) * 1_000;
  }

  function taken(count: Count): void {
    count.since = null;
    if (count.column.since === null && count.column.outageSince === null) counts.delete(keyOf(count));
  }

  function written(count: Count, row: { changed_at: string } | undefined, column: Partial<Count['column']>): boolean {
    // Changed or closed: this count is over.
    if (row === undefined) counts.delete(keyOf(count));
    else Object.assign(count.column, column, { changedAt: microsOf(row.changed_at) });
    return row !== undefined;
  }

  async function write(count: Count): Promise<void> {
    const { tenant, id, since } = count;
    if (!written(count, await table.setFailingSince(count, since), { since })) return;
    log.info({ event: since === null ? 'endpoint.recovered' : 'endpoint.failing', tenant, endpointId: id });
  }

  async function endOutage(count: Count): Promise<void> {
    const { tenant, id } = count;
    if (!written(count, await table.endOutage(count), { since: null, outageSince: null })) return;
    log.info({ event: 'endpoint.recovered', tenant, endpointId: id });
    // It may have failed again meanwhile.
    if (count.since === null) counts.delete(keyOf(count));
  }

  /** At rest the last reading may be a minute old. */
  async function isPausedByNow(count: Count): Promise<boolean> {
    await deps.readPauses();
    return isPaused(deps.pausesOf(count), nowMicros(clock));
  }

  async function announce(count: Count, since: number, isAskedFor: IsAskedFor): Promise<void> {
    const { tenant, failedAttempts, column } = count;
    const now = nowMicros(clock);
    const pauses = deps.pausesOf(count);
    if (isPaused(pauses, now)) return;
    const failingFor = unpausedTime(pauses, since, now);
    const isNewOutage = column.outageSince === null && isOutage({ failingFor, failedAttempts });
    if (isNewOutage && isAskedFor(tenant, 'hookline.endpoint.failing')) {
      if (await isPausedByNow(count)) return;
      const begun = await table.beginOutage(count, { since, failedAttempts });
      if (!written(count, begun, { outageSince: since })) return;
    }
    if (count.isDue || count.isDisablingAnnounced) return;
    const facts = { since, disablingAt: disablingAt(count, since) };
    if (!isDisabledSoon({ disabledIn: facts.disablingAt - now, failedAttempts })) return;
    if (!isAskedFor(tenant, 'hookline.endpoint.disabling_soon') || (await isPausedByNow(count))) return;
    await table.announceDisabling(count, facts);
    count.isDisablingAnnounced = true;
  }

  async function settleOne(count: Count, isAskedFor: IsAskedFor): Promise<void> {
    const { since, column } = count;
    if (since === null && column.outageSince !== null) return endOutage(count);
    const isLasting = since === null || nowMicros(clock) - since >= setAfterMs * 1_000;
    if (since !== column.since && isLasting) return write(count);
    if (since === null || since !== column.since) return;
    await announce(count, since, isAskedFor);
    if (!count.isDue) return;
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
      const isShown = endpoint.failingSince !== null || endpoint.outageSince !== null;
      if (count !== undefined || isShown) taken(count ?? begin(endpoint));
    },
    async settle() {
      const isAskedFor = askedOnce(deps.isAskedFor);
      for (const count of [...counts.values()]) await settleOne(count, isAskedFor);
    },
  };
}

/** Microseconds between two instants, without pauses. */
const unpausedTime = (pauses: readonly Pause[], from: number, to: number): number =>
  to - from - pausedBetween(pauses, from, to);

const isPaused = (pauses: readonly Pause[], at: number): boolean =>
  pauses.some(({ from, until }) => from <= at && at < until);
