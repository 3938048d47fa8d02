/**
 * The sources that a webhook has passed on its way through this installation: a source's events may go to an endpoint that is another source, or
 * the same one, and come back without end.
 *
 *   request ── `Hookline-Trail`, signed (libs/signatures) ──► ingress ── header `hookline-trail` ──► dedup ── `request.trail` of the event ──► fan-out
 *      ▲                                                                                                                                │
 *      └───────────── dispatcher, signs it ◄── header `hookline-trail` of the delivery: with the event's own source ◄───────────────────┘
 *
 * A webhook that comes to a source a second time, or has passed `maxTrailLength` sources before, is accepted, stored and shown, and not fanned
 * out. Events that were published by the API, and those about Hookline itself, begin a trail without a source.
 *
 * Records of versions from before have no trail, and older readers pass it over: until all services are upgraded, a loop goes on as before.
 */
import { hash } from 'node:crypto';
import { operationalSourceId, publishedSourceId } from './subscription.ts';

/** Each source by its mark, in the order in which they were passed. */
export type Trail = readonly string[];

/** As many sources one after another as somebody may have a reason for. */
export const maxTrailLength = 8;

const markLength = 12;
const marks = /^[A-Za-z0-9_-]{12}(?:\.[A-Za-z0-9_-]{12}){0,7}$/;

/** By source: each of its deliveries has the mark. */
const knownMarks = new Map<string, string>();
const maxKnown = 10_000;

/** Names a source to nobody who does not know its id: that is in its address, and receivers see the trail. */
export function trailMark(sourceId: string): string {
  const known = knownMarks.get(sourceId);
  if (known !== undefined) return known;
  const mark = hash('sha256', `hookline-trail:${sourceId}`, 'base64url').slice(0, markLength);
  if (knownMarks.size >= maxKnown) knownMarks.clear();
  knownMarks.set(sourceId, mark);
  return mark;
}

interface TracedEvent {
  source_id: string;
  /** Null: it did not come by HTTP, or is from before this field. */
  request: { trail?: Trail | undefined } | null;
}

/** The trail of the event's deliveries. It is as long as it came, where the event is one of a loop (and is replayed). */
export function trailOf(event: TracedEvent): Trail {
  const { source_id: sourceId } = event;
  const before = event.request?.trail ?? [];
  if (sourceId === publishedSourceId || sourceId === operationalSourceId || isLooped(event)) return before;
  return [...before, trailMark(sourceId)];
}

/** Whether the event is not fanned out, because its webhook has come back to its source, or has passed too many. */
export function isLooped({ source_id: sourceId, request }: TracedEvent): boolean {
  const before = request?.trail;
  if (before === undefined || before.length === 0) return false;
  return before.length >= maxTrailLength || before.includes(trailMark(sourceId));
}

export const trailText = (trail: Trail): string => trail.join('.');

/** None for any text that is no trail. */
export const parseTrail = (text: string | undefined): Trail =>
  text !== undefined && marks.test(text) ? text.split('.') : [];
