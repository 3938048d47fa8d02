import { type Clock, type Logger, toAppError, untilAvailable } from '#lib/runtime';
import type { Histogram } from '#lib/telemetry';
import type { EventFilter } from '../filters.ts';
import type { EventRow } from '../row.ts';
import type { NewEvents, ReadNewEvents } from './read-new-events.ts';

/**
 * However many wait, a change costs one reading of what is new in its tenant, and so many tenants are read at once that others who ask the
 * API find a connection. A reading that fails is tried again: nobody is notified a second time of what it was to see.
 */

export interface Waiter {
  filter: EventFilter;
  /** RFC 3339: what is before it was looked at; goes on with each reading. */
  from: string;
  limit: number;
  /** Takes it off its tenant's waiters. */
  end(events: EventRow[]): void;
}

/** How far somebody has seen all that there was of a tenant. */
interface Seen {
  /** RFC 3339: there was nothing from here on. */
  to: string;
  /** How often the tenant had been notified before: more often, and there may be something. */
  notified: number;
  atMs: number;
}

/** A tenant somebody waits for. */
export interface WatchedTenant {
  tenant: string;
  waiters: Set<Waiter>;
  /** How often it was notified. */
  notified: number;
  notifiedAtMs: number;
  seen: Seen | undefined;
  /** By a reading of this file alone. */
  isRead: boolean;
}

export interface Readings {
  /** Reads for all who wait, now or after the reading that is under way. */
  readSoon(watched: WatchedTenant): void;
  /** It was notified before, and is not read yet. */
  isDue(watched: WatchedTenant): boolean;
}

export interface ReadingsDeps {
  readNewEvents: ReadNewEvents;
  clock: Clock;
  log: Logger;
  metrics: { longpollWakeupSeconds: Histogram };
  /** Aborts when the process stops: all who are held are answered. */
  closing: AbortSignal;
}

/** How many of the API's connections readings use. */
const maxReadings = 4;
const answersAtOnce = 100;

export function createReadings({ readNewEvents, clock, log, metrics, closing }: ReadingsDeps): Readings {
  /** To be read, in this order. */
  const due = new Set<WatchedTenant>();
  let readings = 0;

  /** Each tenant by one at a time: what is notified meanwhile is read after it. */
  async function readDue(): Promise<void> {
    readings += 1;
    for (let watched = nextDue(); watched !== undefined; watched = nextDue()) {
      due.delete(watched);
      watched.isRead = true;
      await readFor(watched);
      watched.isRead = false;
    }
    readings -= 1;
  }

  function nextDue(): WatchedTenant | undefined {
    for (const watched of due) if (!watched.isRead) return watched;
    return undefined;
  }

  async function readFor(watched: WatchedTenant): Promise<void> {
    const { tenant, waiters, notified, notifiedAtMs } = watched;
    // Waiters who come while it is read have looked later than it was notified, or are read for again.
    let waiting = [...waiters];
    const filters = waiting.map(({ filter }) => filter);
    try {
      for (let isAll = false; !isAll;) {
        const found = await untilAvailable(
          async () => {
            waiting = waiting.filter((waiter) => waiters.has(waiter));
            const from = firstOf(waiting);
            return from === undefined ? undefined : readNewEvents(tenant, from, filters);
          },
          { clock, signal: closing },
        );
        if (found === undefined) return;
        // Before anybody is answered, who may be back with the next request before the last of them is.
        if (found.isAll) watched.seen = { to: found.readTo, notified, atMs: clock.monotonicMs() };
        for (const [index, waiter] of waiting.entries()) {
          if (waiters.has(waiter)) handOut(found, waiter, notifiedAtMs);
          // Thousands of answers at once would keep everybody else waiting, and the first of them for the last.
          if (index % answersAtOnce === answersAtOnce - 1) await new Promise(setImmediate);
        }
        isAll = found.isAll;
      }
    } catch (error) {
      if (!closing.aborted) log.error({ event: 'longpoll.not_read', tenant, err: toAppError(error) });
      for (const waiter of waiting) waiter.end([]);
    }
  }

  function handOut({ events, matcherOf, readTo }: NewEvents, waiter: Waiter, notifiedAtMs: number): void {
    const isMatch = matcherOf(waiter.filter);
    const matching = events.filter((event) => event.updated_at >= waiter.from && isMatch(event));
    if (readTo > waiter.from) waiter.from = readTo;
    if (matching.length === 0) return;
    metrics.longpollWakeupSeconds.observe((clock.monotonicMs() - notifiedAtMs) / 1000);
    waiter.end(matching.slice(0, waiter.limit));
  }

  return {
    readSoon(watched) {
      if (watched.waiters.size === 0) return;
      due.add(watched);
      if (readings < maxReadings) void readDue();
    },
    isDue: (watched) => due.has(watched),
  };
}

/** All of these are of one form, and so in the order of their texts. */
function firstOf(waiters: readonly Waiter[]): string | undefined {
  let first: string | undefined;
  for (const { from } of waiters) if (first === undefined || from < first) first = from;
  return first;
}
