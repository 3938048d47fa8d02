import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '#lib/runtime';
import type { Gauge } from '#lib/telemetry';
import { createSharedRoom } from '#lib/tenancy';
import type { Asker, WhyEnded } from '../../keys/why-ended.ts';
import type { EventFilter } from '../filters.ts';
import type { EventRow } from '../row.ts';
import type { AwaitedTenants } from './announce-awaited.ts';
import { createDeadlines, type Deadlines, type Timed } from './deadlines.ts';
import { createReadings, type ReadingsDeps, type Waiter, type WatchedTenant } from './readings.ts';

/**
 * Requests that are held until the events of their tenant change:
 *
 *   enter ──► look ──► something: answered
 *               └─► wait ──► the tenant is notified ──► one reading for all of it ──► something for this one: answered
 *                     │               ▲                                            └─► nothing: it waits on, from where was read to
 *                     │               └────────────────────────────────────────────────┘
 *                     └─► time is up, the client has left, its credential counts no more, the process stops: nothing
 *
 * A request that has entered is notified of every change, and reads only after it has entered: the reading sees changes committed before it, and
 * later ones are notified. The other way round, a change between reading and entry would wake nobody. When many requests come back at once,
 * after a change that woke them all, only the first have to read: the others wait at once for changes behind that reading.
 *
 * Ten thousand wait at once, so each costs little: one object, no promise, no timer of its own.
 */

export interface HeldPolls {
  /** A place until it is left, or who has no more of them. */
  enter(tenant: string, credential: string): Place | 'credential' | 'tenant' | 'process';
  /** How many places are taken: of all tenants, of one, of one credential of it. */
  taken(tenant?: string, credential?: string): number;
  /** Each tenant that has some, and how much of its share. */
  usage(): Iterable<readonly [tenant: string, ratio: number]>;
  /** The tenant's events have changed. */
  wake(tenant: string): void;
  /** Any tenant's may have: some changes went unnoticed. */
  wakeAll(): void;
  /** Ends those whose caller counts no more, with nothing. */
  endRevoked(whyEnded: WhyEnded): Promise<void>;
}

export interface Place {
  /** From where on there was nothing when somebody looked a moment ago, and no change was notified since; undefined where one has to look. */
  seenTo(): string | undefined;
  /** The look of this one has seen that there is nothing from there on. */
  saw(to: string): void;
  /**
   * Waits for what the look did not find. Once a place.
   *
   * @param onEnd called once, with the place left: a promise would keep all that the request has come by
   */
  wait(wanted: Wanted, onEnd: OnEnd): void;
  /** Ends the wait too, with nothing. */
  leave(): void;
}

interface Wanted {
  filter: EventFilter;
  /** RFC 3339: what is before it was looked at. */
  from: string;
  limit: number;
  withinMs: number;
  /** Its credential may end before; undefined: nobody's. */
  asker?: Asker | undefined;
}

export interface Found {
  events: EventRow[];
  /** Everything before it was looked at. */
  from: string;
}

type OnEnd = (found: Found) => void;

interface Deps extends ReadingsDeps {
  awaited: AwaitedTenants;
  metrics: ReadingsDeps['metrics'] & { longpollWaiting: Gauge };
  maxPerCredential: number;
  maxOfTenant(tenant: string): number;
  max: number;
}

interface Watched extends WatchedTenant {
  waiters: Set<HeldPlace>;
  placesByCredential: Map<string, number>;
}

/**
 * A look is gone by for so long. Long enough for those who were answered together; and whoever asks later looks, should the
 * connection that hears of changes have been lost unnoticed.
 */
const seenForMs = 5_000;

/** Each is a few look-ups in memory. */
const looksInTurn = 1_000;

/** The state that all held places of a tenant share. */
interface Shared {
  clock: Clock;
  deadlines: Deadlines<HeldPlace>;
  awaited: AwaitedTenants;
  closing: AbortSignal;
  readSoon(watched: Watched): void;
  leave(watched: Watched, credential: string): void;
}

export function createHeldPolls(deps: Deps): HeldPolls {
  const { clock, metrics, closing } = deps;
  const watchedByTenant = new Map<string, Watched>();
  const readings = createReadings(deps);
  // Work that several requests wait for must not end with the one that began it: http/current-request.ts.
  const outside = AsyncLocalStorage.snapshot();
  const deadlines = createDeadlines<HeldPlace>(clock, (place) => place.end([]));
  const room = createSharedRoom(deps.max);
  const showWaiting = (): void => metrics.longpollWaiting.set(deps.max - room.free());

  const shared: Shared = {
    clock,
    deadlines: { ...deadlines, add: (place) => outside(deadlines.add, place) },
    awaited: deps.awaited,
    closing,
    readSoon: (watched) => outside(readings.readSoon, watched),
    leave(watched, credential) {
      room.take(watched.tenant, -1);
      showWaiting();
      const others = (watched.placesByCredential.get(credential) ?? 1) - 1;
      if (others > 0) watched.placesByCredential.set(credential, others);
      else watched.placesByCredential.delete(credential);
      if (watched.placesByCredential.size === 0) watchedByTenant.delete(watched.tenant);
    },
  };
  closing.addEventListener('abort', () => {
    for (const { waiters } of watchedByTenant.values()) for (const waiter of waiters) waiter.end([]);
  });

  function notify(watched: Watched): void {
    watched.notified += 1;
    if (!readings.isDue(watched)) watched.notifiedAtMs = clock.monotonicMs();
    readings.readSoon(watched);
  }

  return {
    enter(tenant, credential) {
      const watched = watchedByTenant.get(tenant) ?? newlyWatched(tenant);
      const ofCredential = watched.placesByCredential.get(credential) ?? 0;
      if (ofCredential >= deps.maxPerCredential) return 'credential';
      if (room.free() === 0) return 'process';
      if (room.held(tenant) >= deps.maxOfTenant(tenant) || !room.mayTake(tenant)) return 'tenant';
      watchedByTenant.set(tenant, watched);
      room.take(tenant);
      watched.placesByCredential.set(credential, ofCredential + 1);
      showWaiting();
      return new HeldPlace(shared, watched, credential);
    },
    taken(tenant, credential) {
      if (tenant === undefined) return deps.max - room.free();
      if (credential === undefined) return room.held(tenant);
      return watchedByTenant.get(tenant)?.placesByCredential.get(credential) ?? 0;
    },
    usage: room.usage,
    wake(tenant) {
      const watched = watchedByTenant.get(tenant);
      if (watched !== undefined) notify(watched);
    },
    wakeAll() {
      for (const watched of watchedByTenant.values()) notify(watched);
    },
    async endRevoked(whyEnded) {
      if (watchedByTenant.size === 0) return;
      await whyEnded.read();
      let seen = 0;
      for (const { waiters } of [...watchedByTenant.values()]) {
        // Whoever waits asks the same route, so all of a credential end together.
        const ended = new Map<string, boolean>();
        for (const waiter of [...waiters]) {
          const { asker, credential } = waiter;
          if (asker !== undefined && !ended.has(credential)) ended.set(credential, whyEnded(asker) !== undefined);
          if (ended.get(credential) === true) waiter.end([]);
          if ((seen += 1) % looksInTurn === 0) await new Promise(setImmediate);
        }
      }
    },
  };
}

const newlyWatched = (tenant: string): Watched => ({
  tenant,
  waiters: new Set(),
  placesByCredential: new Map(),
  notified: 0,
  notifiedAtMs: 0,
  seen: undefined,
  isRead: false,
});

/** A class, so that what it does is there once and not for each: see above. */
class HeldPlace implements Place, Waiter, Timed {
  filter: EventFilter = {};
  from = '';
  limit = 0;
  withinMs = 0;
  endsAtMs = 0;
  asker: Asker | undefined;
  readonly credential: string;
  readonly #shared: Shared;
  readonly #watched: Watched;
  readonly #notifiedBefore: number;
  #onEnd: OnEnd | undefined;
  #hasLeft = false;

  constructor(shared: Shared, watched: Watched, credential: string) {
    this.#shared = shared;
    this.#watched = watched;
    this.credential = credential;
    this.#notifiedBefore = watched.notified;
  }

  seenTo(): string | undefined {
    const { seen, notified } = this.#watched;
    if (seen === undefined || seen.notified !== notified) return undefined;
    return this.#shared.clock.monotonicMs() < seen.atMs + seenForMs ? seen.to : undefined;
  }

  saw(to: string): void {
    this.#watched.seen = { to, notified: this.#notifiedBefore, atMs: this.#shared.clock.monotonicMs() };
  }

  wait({ filter, from, limit, withinMs, asker }: Wanted, onEnd: OnEnd): void {
    this.asker = asker;
    this.filter = filter;
    this.from = from;
    this.limit = limit;
    this.withinMs = withinMs;
    this.#onEnd = onEnd;
    if (this.#hasLeft || this.#shared.closing.aborted) return this.end([]);
    this.#watched.waiters.add(this);
    this.#shared.deadlines.add(this);
    this.#shared.awaited.begin(this.#watched.tenant);
    if (this.#watched.notified > this.#notifiedBefore) this.#shared.readSoon(this.#watched);
  }

  end(events: EventRow[]): void {
    if (this.#watched.waiters.delete(this)) this.#shared.awaited.end(this.#watched.tenant);
    this.#shared.deadlines.remove(this);
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    this.leave();
    onEnd?.({ events, from: this.from });
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#shared.leave(this.#watched, this.credential);
    if (this.#onEnd !== undefined) this.end([]);
  }
}
