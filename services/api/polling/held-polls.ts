/**
 * Requests that are held until the events of their tenant change:
 *
 *   enter ──► look ──► something: answered
 *               └─► wait ──► the tenant is notified ──► one reading for all of it ──► something for this one: answered
 *                     │               ▲                                            └─► nothing: it waits on, from where was read to
 *                     │               └────────────────────────────────────────────────┘
 *                     └─► time is up, the client has left, the process stops: nothing
 *
 * Who has entered is told of every change, and looks only then: what was committed before the look is seen by it, what is committed later
 * is notified. The other way round, a change between look and entry would wake nobody.
 *
 * However many wait, a change costs one reading of what is new in its tenant, and so many tenants are read at once that others who ask the
 * API find a connection. A reading that fails is tried again: nobody is notified a second time of what it was to see.
 */
import { untilAvailable } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import type { Gauge, Histogram } from '#lib/telemetry';
import type { EventFilter, EventRow } from '../resources/event.ts';
import type { NewEvents, ReadNewEvents } from './read-new-events.ts';

export interface HeldPolls {
  /** A place until it is left, or who has no more of them. */
  enter(tenant: string, credential: string): Place | 'credential' | 'process';
  /** The tenant's events have changed. */
  wake(tenant: string): void;
  /** Any tenant's may have: some changes went unnoticed. */
  wakeAll(): void;
}

export interface Place {
  /** Waits for what the look did not find. Once a place. */
  wait(wanted: Wanted): Promise<Found>;
  /** Ends the wait too, with nothing. */
  leave(): void;
}

export interface Wanted {
  filter: EventFilter;
  /** RFC 3339: what is before it was looked at. */
  from: string;
  limit: number;
  withinMs: number;
}

export interface Found {
  events: EventRow[];
  /** What is before it was looked at. */
  from: string;
}

interface Deps {
  readNewEvents: ReadNewEvents;
  clock: Clock;
  log: Logger;
  metrics: { longpollWaiting: Gauge; longpollWakeupSeconds: Histogram };
  /** Aborts when the process stops: all who are held are answered. */
  closing: AbortSignal;
  maxPerCredential: number;
  max: number;
}

interface Waiter extends Wanted {
  /** Undefined: with nothing. Does nothing the second time. */
  end(events?: EventRow[]): void;
}

/** A tenant somebody waits for. */
interface Watched {
  tenant: string;
  places: number;
  /** How often it was notified. */
  notified: number;
  notifiedAtMs: number;
  waiters: Set<Waiter>;
  reading: boolean;
}

/** Of the API's connections, those that are used for readings. */
const maxReadings = 4;
const answersAtOnce = 100;

export function createHeldPolls(deps: Deps): HeldPolls {
  const { readNewEvents, clock, log, metrics, closing } = deps;
  const watchedByTenant = new Map<string, Watched>();
  const placesByCredential = new Map<string, number>();
  /** To be read, in this order. */
  const due = new Set<Watched>();
  let places = 0;
  let readings = 0;

  closing.addEventListener('abort', () => {
    for (const { waiters } of watchedByTenant.values()) for (const waiter of waiters) waiter.end();
  });

  function enter(tenant: string, credential: string): Place | 'credential' | 'process' {
    const owner = JSON.stringify([tenant, credential]);
    const ofCredential = placesByCredential.get(owner) ?? 0;
    if (ofCredential >= deps.maxPerCredential) return 'credential';
    if (places >= deps.max) return 'process';
    placesByCredential.set(owner, ofCredential + 1);
    metrics.longpollWaiting.set((places += 1));
    const watched = watch(tenant);
    const notifiedBefore = watched.notified;
    let waiter: Waiter | undefined;
    let left = false;

    return {
      wait: (wanted) =>
        new Promise((resolve) => {
          const over = new AbortController();
          const held: Waiter = {
            ...wanted,
            end: (events = []) => {
              if (!watched.waiters.delete(held)) return;
              over.abort();
              resolve({ events, from: held.from });
            },
          };
          waiter = held;
          watched.waiters.add(held);
          if (left || closing.aborted) return held.end();
          void clock.sleep(wanted.withinMs, over.signal).then(() => held.end());
          if (watched.notified > notifiedBefore) readSoon(watched);
        }),
      leave() {
        if (left) return;
        left = true;
        waiter?.end();
        metrics.longpollWaiting.set((places -= 1));
        const others = (placesByCredential.get(owner) ?? 1) - 1;
        if (others > 0) placesByCredential.set(owner, others);
        else placesByCredential.delete(owner);
        watched.places -= 1;
        if (watched.places === 0) watchedByTenant.delete(tenant);
      },
    };
  }

  function watch(tenant: string): Watched {
    let watched = watchedByTenant.get(tenant);
    if (watched === undefined) {
      watched = { tenant, places: 0, notified: 0, notifiedAtMs: 0, waiters: new Set(), reading: false };
      watchedByTenant.set(tenant, watched);
    }
    watched.places += 1;
    return watched;
  }

  function notify(watched: Watched): void {
    watched.notified += 1;
    if (!due.has(watched)) watched.notifiedAtMs = clock.monotonicMs();
    readSoon(watched);
  }

  function readSoon(watched: Watched): void {
    if (watched.waiters.size === 0) return;
    due.add(watched);
    if (readings < maxReadings) void readDue();
  }

  /** Each tenant by one at a time: what is notified meanwhile is read after it. */
  async function readDue(): Promise<void> {
    readings += 1;
    for (let watched = nextDue(); watched !== undefined; watched = nextDue()) {
      due.delete(watched);
      watched.reading = true;
      await readFor(watched);
      watched.reading = false;
    }
    readings -= 1;
  }

  function nextDue(): Watched | undefined {
    for (const watched of due) if (!watched.reading) return watched;
    return undefined;
  }

  async function readFor({ tenant, waiters, notifiedAtMs }: Watched): Promise<void> {
    // Those who come while it is read have looked later than it was notified, or are read for again.
    let waiting = [...waiters];
    const receiptIds = waiting.flatMap(({ filter }) => filter.receiptId ?? []);
    try {
      for (let isAll = false; !isAll;) {
        const found = await untilAvailable(
          async () => {
            waiting = waiting.filter((waiter) => waiters.has(waiter));
            const from = firstOf(waiting);
            return from === undefined ? undefined : readNewEvents(tenant, from, receiptIds);
          },
          { clock, signal: closing },
        );
        if (found === undefined) return;
        for (const [index, waiter] of waiting.entries()) {
          if (waiters.has(waiter)) handOut(found, waiter, notifiedAtMs);
          // Thousands of answers at once would keep everybody else waiting, and the first of them for the last.
          if (index % answersAtOnce === answersAtOnce - 1) await new Promise(setImmediate);
        }
        isAll = found.isAll;
      }
    } catch (error) {
      if (!closing.aborted) log.error({ event: 'longpoll.not_read', tenant, err: toAppError(error) });
      for (const waiter of waiting) waiter.end();
    }
  }

  function handOut({ events, isMatch, readTo }: NewEvents, waiter: Waiter, notifiedAtMs: number): void {
    const matching = events.filter((event) => event.updated_at >= waiter.from && isMatch(event, waiter.filter));
    if (readTo > waiter.from) waiter.from = readTo;
    if (matching.length === 0) return;
    metrics.longpollWakeupSeconds.observe((clock.monotonicMs() - notifiedAtMs) / 1000);
    waiter.end(matching.slice(0, waiter.limit));
  }

  return {
    enter,
    wake(tenant) {
      const watched = watchedByTenant.get(tenant);
      if (watched !== undefined) notify(watched);
    },
    wakeAll() {
      for (const watched of watchedByTenant.values()) notify(watched);
    },
  };
}

/** All of these are of one form, and so in the order of their texts. */
function firstOf(waiters: readonly Waiter[]): string | undefined {
  let first: string | undefined;
  for (const { from } of waiters) if (first === undefined || from < first) first = from;
  return first;
}
