import { endpointSettlingMs, type EventRecord, isSubscribed } from '#lib/contract';
import type { Endpoint } from './endpoint.ts';

/**
 * The endpoints that get an event. Judged as of the event's receipt, not of now: a fan-out that is repeated after a crash must come to
 * the same set, or a delivery that stood in the first set alone would stay open for ever. An endpoint that was deleted or disabled
 * since then is matched, and its delivery ended by the dispatcher like any other that was on its way.
 */
export function matchEndpoints(event: EventRecord, endpoints: Iterable<Endpoint>): Endpoint[] {
  return [...endpoints].filter(
    (endpoint) =>
      endpoint.createdAt + endpointSettlingMs * 1_000 <= event.received_at &&
      isOpenAt(endpoint, event.received_at) &&
      isSubscribed(endpoint, event),
  );
}

const isOpenAt = ({ disabledAt, deletedAt }: Endpoint, micros: number): boolean =>
  (disabledAt === null || disabledAt > micros) && (deletedAt === null || deletedAt > micros);
