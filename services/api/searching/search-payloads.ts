/**
 * Searches a tenant's newest payloads, within limits: it reads events by their ids, the newest first, and stops at the first limit. It says
 * how far it came, so that the next search continues there: an event that was not looked at never counts as one that doesn't match.
 *
 * Events are read in windows of the primary key, whatever the filters of the list: a statement that looked for the next match could look at
 * every event of the tenant, and a time-out would lose how far it came.
 */
import type { Event, EventSearch } from '#lib/api-contract';
import { bytesPerStep, compileFilter, decodedPayload, type EventFilter, type MatchTurns } from '#lib/event-filter';
import { sqlStatus } from '#lib/event-store';
import { parseExact } from '#lib/exact-json';
import type { Query } from '#lib/postgres';
import { createId, isAppError, microsOf, timeOfId } from '#lib/runtime';
import {
  type EventFilter as ListFilter,
  eventFilters,
  type EventRow,
  joinPayload,
  shownColumns,
  wholeEventOf,
} from '../events/index.ts';
import { bindTo, filterConditions } from '../http/filters.ts';

export interface SearchAsked {
  tenant: string;
  /** One that `problemsOfFilter` accepts, as JSON: on the way to a thread, long numbers would become objects. */
  filter: string;
  /** Filters of the list: other events are not looked into. */
  events: ListFilter;
  /** Events with lower ids; null: from the newest. */
  before: string | null;
  /** The most events to find. */
  limit: number;
}

/** As clients see it, while it grows. */
export interface Found extends EventSearch {
  matched: Event[];
}

export interface SearchLimits {
  /** Bytes of payloads, as stored. */
  bytes: number;
  /** After this time nothing more is begun. */
  beginWithinMs: number;
  /** The time-out of each statement. */
  statementMs: number;
}

/** At most 64 MiB, and two seconds. */
export const searchLimits: SearchLimits = { bytes: 64 * 1024 * 1024, beginWithinMs: 1_500, statementMs: 500 };

interface Deps {
  postgres: Query;
  turns: MatchTurns;
  monotonicMs(): number;
  limits: SearchLimits;
}

/** Events of the first window; later ones are larger as long as statements are fast. */
const firstWindow = 64;
const largestWindow = 1_024;
const fastMs = 50;
/** Payloads that are read at once: as text on the wire, twice as much. */
const groupBytes = 1024 * 1024;

/** @throws AppError store_unavailable if it came nowhere */
export async function searchPayloads(deps: Deps, asked: SearchAsked): Promise<Found> {
  const { monotonicMs, limits } = deps;
  const filter = compileFilter(parseExact(asked.filter, 'all'));
  const beganAtMs = monotonicMs();
  const found: Found = {
    matched: [],
    scanned: 0,
    complete: false,
    cursor: startOf(asked),
    unjudged: { payload_removed: 0, payload: 0, filter_steps: 0 },
  };
  let bytesLeft = limits.bytes;
  let size = firstWindow;

  // The first step is always taken: a search that never advances would be continued without end.
  const from = found.cursor;
  const hasAdvanced = (): boolean => found.cursor !== from;
  const isOver = (): boolean =>
    found.matched.length >= asked.limit || (hasAdvanced() && monotonicMs() - beganAtMs >= limits.beginWithinMs);

  /** @returns whether all of the window was looked at */
  async function lookInto(window: readonly InWindow[]): Promise<boolean> {
    for (const group of groupsOf(window)) {
      bytesLeft -= bytesOf(group);
      if (isOver() || (hasAdvanced() && bytesLeft < 0)) return false;
      const payloads = await readPayloads(deps.postgres, asked.tenant, group);
      for (const { event } of group) {
        if (isOver()) return false;
        await match(deps, { tenant: asked.tenant, event, payload: payloads.get(event.id), filter }, found);
        found.cursor = event.id;
      }
    }
    return true;
  }

  try {
    while (!isOver()) {
      const readAtMs = monotonicMs();
      const { window, isFull, lastId } = await readWindow(deps.postgres, asked, found.cursor, size);
      size = monotonicMs() - readAtMs < fastMs ? Math.min(largestWindow, 2 * size) : firstWindow;
      const isWhole = await lookInto(window);
      if (!isWhole) break;
      if (!isFull || isBefore(lastId, asked.events.received_since)) return { ...found, complete: true, cursor: null };
      found.cursor = lastId;
    }
  } catch (error) {
    // A slow database ends a search like any other limit, if it came anywhere.
    if (!isAppError(error, 'store_unavailable') || !hasAdvanced()) throw error;
  }
  return found;
}

/** Ids have the time of receipt: a search begins with the newest event that the list's filters allow, and ends with the oldest. */
function startOf({ before, events: { received_until: until } }: SearchAsked): string | null {
  const first = until === undefined ? null : createId('evt', msOf(until) + 1, (size) => Buffer.alloc(size));
  if (first === null || before === null) return before ?? first;
  return first < before ? first : before;
}

const isBefore = (id: string | null, since: string | undefined): boolean =>
  id !== null && since !== undefined && (timeOfId(id) ?? Infinity) < msOf(since);

const msOf = (instant: string): number => Math.floor(microsOf(instant) / 1_000);

interface InWindow {
  event: EventRow;
  /** Null if the payload has been removed. */
  bytes: number | null;
}

async function readWindow(
  postgres: Query,
  { tenant, events }: SearchAsked,
  before: string | null,
  size: number,
): Promise<{ window: InWindow[]; isFull: boolean; lastId: string | null }> {
  const values: unknown[] = [tenant];
  const older = before === null ? 'true' : `id < $${values.push(before)}`;
  const limit = `$${values.push(size)}`;
  const conditions = [`status <> ${sqlStatus('erased')}`, ...filterConditions(eventFilters, events, bindTo(values))];
  const rows = await postgres.query<
    { seen: number; last_id: string | null; bytes: number | null } & (EventRow | { id: null })
  >(
    `WITH seen AS (SELECT * FROM events WHERE tenant = $1 AND ${older} ORDER BY id DESC LIMIT ${limit})
     SELECT (SELECT count(*)::int FROM seen) AS seen, (SELECT min(id) FROM seen) AS last_id, page.*
       FROM (SELECT) AS one
       LEFT JOIN (
              SELECT ${shownColumns}, payload.bytes
                FROM seen AS events ${joinPayload('octet_length(p.body) AS bytes')}
               WHERE ${conditions.join(' AND ')}) AS page ON true
      ORDER BY page.id DESC`,
    values,
  );
  const [first] = rows;
  return {
    window: rows.flatMap(({ seen: _seen, last_id: _last, bytes, ...event }) =>
      event.id === null ? [] : [{ event, bytes }],
    ),
    isFull: first?.seen === size,
    lastId: first?.last_id ?? null,
  };
}

/** Bounded in bytes; a payload that is larger by itself is read alone. */
function* groupsOf(window: readonly InWindow[]): Iterable<InWindow[]> {
  let group: InWindow[] = [];
  let left = groupBytes;
  for (const one of window) {
    left -= one.bytes ?? 0;
    if (group.length > 0 && left < 0) {
      yield group;
      group = [];
      left = groupBytes - (one.bytes ?? 0);
    }
    group.push(one);
  }
  if (group.length > 0) yield group;
}

const bytesOf = (group: readonly InWindow[]): number => group.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);

interface Payload {
  id: string;
  content_type: string;
  content_encoding: string | null;
  body: Buffer;
}

async function readPayloads(postgres: Query, tenant: string, group: readonly InWindow[]) {
  const kept = group.filter(({ bytes }) => bytes !== null);
  if (kept.length === 0) return new Map<string, Payload>();
  const rows = await postgres.query<Payload>(
    `SELECT asked.id, payload.content_type, payload.content_encoding, payload.body
       FROM unnest($2::text[], $3::timestamptz[]) AS asked (id, received_at)
      CROSS JOIN LATERAL (
            SELECT p.content_type, p.content_encoding, p.body
              FROM event_payloads p
             WHERE p.tenant = $1 AND p.event_id = asked.id AND p.received_at = asked.received_at
             LIMIT 1) AS payload`,
    [tenant, kept.map(({ event }) => event.id), kept.map(({ event }) => event.received_at)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

interface Searched {
  tenant: string;
  event: EventRow;
  payload: Payload | undefined;
  filter: EventFilter;
}

async function match(
  { turns }: Deps,
  { tenant, event, payload: stored, filter }: Searched,
  found: Found,
): Promise<void> {
  if (stored === undefined) return void (found.unjudged.payload_removed += 1);
  const wait = turns.wait(tenant);
  if (wait !== undefined) await wait;
  const payload = await decodedPayload(stored.body, {
    contentType: stored.content_type,
    contentEncoding: stored.content_encoding,
  });
  const { takes, steps, unjudged } = filter(payload);
  turns.spend(1 + payload.bytes / bytesPerStep + steps);
  if (unjudged !== undefined) found.unjudged[unjudged === 'payload' ? 'payload' : 'filter_steps'] += 1;
  else {
    found.scanned += 1;
    if (takes) found.matched.push(wholeEventOf(event));
  }
}
