/**
 * The header of a record of `events` that was fanned out by whoever published it: to which endpoints, and when. Their deliveries are on
 * `deliveries`; the fan-out consumer has nothing to do for such a record, and the projector has event and set at once. A record without the
 * header is fanned out by the fan-out consumer, which writes the set to `delivery.attempts`.
 */
import { header, type HeaderText } from './headers.ts';
import { isInstant, isName } from './record-text.ts';

export interface EventSet {
  /** When it was fanned out, in microseconds since the epoch. */
  at: number;
  /** Distinct; none: no endpoint gets the event. */
  endpointIds: readonly string[];
}

/** Few enough for a header; an event for more endpoints is fanned out by the consumer. */
export const maxEventSetEndpoints = 32;

export const eventSetHeader = (set: EventSet): Record<string, string> => ({ [header.fanOut]: JSON.stringify(set) });

/** The set; undefined where the record has none; or what is wrong with it: then the record is no event. */
export function parseEventSet(headers: HeaderText): EventSet | undefined | { malformed: string } {
  const text = headers[header.fanOut];
  if (text === undefined) return undefined;
  const set = parseJson(text) as Partial<EventSet> | null | undefined;
  const ids: unknown = set?.endpointIds;
  if (!isInstant(set?.at as number) || !Array.isArray(ids)) return malformed('is no set');
  if (ids.length > maxEventSetEndpoints) return malformed('names too many endpoints');
  if (!ids.every((id) => typeof id === 'string' && isName(id)))
    return malformed('names something that is not an endpoint');
  if (new Set(ids).size < ids.length) return malformed('names an endpoint twice');
  return { at: set?.at as number, endpointIds: ids as string[] };
}

const malformed = (problem: string): { malformed: string } => ({ malformed: `header ${header.fanOut} ${problem}` });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
