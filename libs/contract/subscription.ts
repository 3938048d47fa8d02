import { microsOf } from '#lib/runtime';

/** The events that an endpoint is to get; an empty list means all. Its filter, which looks at the payload, is in libs/event-filter. */
export interface Subscription {
  /** A type by its name, `*` for every type, `order.*` for those below `order`; so `orders/*` and `zen:event-type:*`. */
  eventTypes: readonly string[];
  sourceIds: readonly string[];
}

/**
 * In place of a source's id on events about Hookline itself, whose types begin with `hookline.`. They go to the endpoints that name such a
 * type or pattern, whatever sources those name, and to no other; what a sender gives such a type is an event like any other, and does not
 * go to those who ask for Hookline's.
 */
export const operationalSourceId = 'hookline';
const operationalTypes = 'hookline.';

/** In place of a source's id on events that were published by the API. */
export const publishedSourceId = 'api';

/** The part of a subscription that an event does not match; the type is looked at first. */
export type Unsubscribed = 'type' | 'source';

export const isSubscribed = (subscription: Subscription, event: { type: string; source_id: string }): boolean =>
  whyUnsubscribed(subscription, event) === undefined;

/** Undefined if the event belongs to the subscription. */
export function whyUnsubscribed(
  { eventTypes, sourceIds }: Subscription,
  event: { type: string; source_id: string },
): Unsubscribed | undefined {
  const isNamedBy = (pattern: string): boolean => matchesType(pattern, event.type);
  if (event.source_id === operationalSourceId)
    return eventTypes.some((pattern) => isOperational(pattern) && isNamedBy(pattern)) ? undefined : 'type';
  if (eventTypes.length > 0 && !eventTypes.some((pattern) => !isOperational(pattern) && isNamedBy(pattern)))
    return 'type';
  return sourceIds.length === 0 || sourceIds.includes(event.source_id) ? undefined : 'source';
}

/**
 * Under these an index has a subscription, so that not every one has to be looked at for every event: `isSubscribed` implies that one of them is
 * among the `eventKeys` of the event, but not the other way round.
 */
export function subscriptionKeys({ eventTypes, sourceIds }: Subscription): string[] {
  const sources = sourceIds.length === 0 ? [anySource] : sourceIds;
  const patterns = eventTypes.length === 0 ? [anyType] : eventTypes;
  const operational = patterns.filter(isOperational).map((pattern) => keyOf(operationalSourceId, pattern));
  const others = patterns.filter((pattern) => !isOperational(pattern));
  const distinct = others.length * sources.length > mostKeys ? [anyType] : others;
  return [...operational, ...sources.flatMap((source) => distinct.map((pattern) => keyOf(source, pattern)))];
}

/** See `subscriptionKeys`. */
export function eventKeys({ type, source_id }: { type: string; source_id: string }): string[] {
  const separators = [...type.matchAll(/[./:]/g)].map(({ index }) => index);
  const patterns = [anyType, type, ...separators.map((at) => `${type.slice(0, at + 1)}*`)];
  return [anySource, source_id].flatMap((source) => patterns.map((pattern) => keyOf(source, pattern)));
}

const [anySource, anyType] = ['', '*'];
/** Most keys of one subscription; one that names more is indexed by its sources alone. */
const mostKeys = 100;
const keyOf = (source: string, pattern: string): string => `${source}\n${pattern}`;

/** Among the `eventKeys` of every event. */
export const everyEventKey = keyOf(anySource, anyType);

const isOperational = (pattern: string): boolean => pattern.startsWith(operationalTypes);

function matchesType(pattern: string, type: string): boolean {
  if (pattern === '*') return true;
  return /[./:]\*$/.test(pattern) ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
}

/** An entry of `endpoints.history`: what was in force until a change, which a trigger writes down (deploy/postgres/migrations). */
export interface PastSubscription {
  /** The change, in RFC 3339. */
  until: string;
  /** When the change counts, in RFC 3339; undefined: of before this was written down. */
  effective_at?: string;
  /** Neither deleted nor disabled. */
  open: boolean;
  event_types: string[];
  source_ids: string[];
  filter: unknown;
}

/** A change of before `effective_at` was written down counted so long after it. */
const formerSettlingMicros = 5_000_000;

/**
 * The events that a change counts for are those accepted from then on, in microseconds.
 *
 * @param effectiveAt of the row or the entry @param changedAt the time of the change; both RFC 3339
 */
export const countsFrom = (effectiveAt: string | null | undefined, changedAt: string): number =>
  effectiveAt == null ? microsOf(changedAt) + formerSettlingMicros : microsOf(effectiveAt);

/**
 * The subscription that was in force for an event, as of its receipt: a fan-out that is repeated, hours later and with a newer list of
 * endpoints, matches by the same. A change counts for events that were accepted at its `effective_at` or later, as a creation does: by then every
 * process knows of it, so that none has matched by the old one.
 *
 * @param past oldest first, each with the time from which the change after it counts (`countsFrom`); instants in microseconds
 */
export function subscriptionAt<S>(past: readonly (S & { countsUntil: number })[], now: S, receivedAt: number): S {
  const isOver = ({ countsUntil }: { countsUntil: number }): boolean => receivedAt >= countsUntil;
  const newest = past.at(-1);
  if (newest === undefined || isOver(newest)) return now;
  let [first, last] = [0, past.length - 1];
  while (first < last) {
    const middle = (first + last) >> 1;
    if (isOver(past[middle] ?? newest)) first = middle + 1;
    else last = middle;
  }
  return past[first] ?? now;
}

/**
 * The time after its receipt within which an event may still be matched, for the first time or again: a webhook stands on its topic, and
 * then its event on the next, for the 7 days of their retention and the 7 that a segment may stay open beyond (topics.ts), and
 * two days are for the wait before the first. Past subscriptions and deleted endpoints are kept as long. An older event (from a replayed
 * dead letter) is matched by the oldest subscription that is known.
 */
export const matchedWithinDays = 30;
