import { setImmediate as nextTurn } from 'node:timers/promises';
import { endpointSettlingMs, type EventRecord, isSubscribed, subscriptionAt } from '#lib/contract';
import { judgedPayload } from '#lib/event-filter';
import type { Endpoint } from './endpoint.ts';

/** Bytes judged by filters before others have their turn: half a thousand filters on a small payload, one on a large. */
const bytesPerTurn = 256 * 1024;

/**
 * The endpoints that get an event. Judged as of the event's receipt, not of now: a fan-out that is repeated after a crash must come to
 * the same set, or a delivery that stood in the first set alone would stay open for ever. An endpoint that was deleted or disabled
 * since then is matched, and its delivery ended by the dispatcher like any other that was on its way.
 *
 * A large payload and many filters take seconds: between them the process goes on with what else it does. A list that changes meanwhile
 * makes no difference, as one that is newer makes none.
 */
export async function matchEndpoints(event: EventRecord, endpoints: Iterable<Endpoint>): Promise<Endpoint[]> {
  const payload = judgedPayload(event.payload);
  const matched: Endpoint[] = [];
  let judgedBytes = 0;
  for (const endpoint of endpoints) {
    const { createdAt, past, subscription: now } = endpoint;
    if (event.received_at < createdAt + endpointSettlingMs * 1_000) continue;
    const subscription = subscriptionAt(past, now, event.received_at);
    if (!subscription.open || !isSubscribed(subscription, event)) continue;
    if (subscription.filter !== null) {
      if (judgedBytes >= bytesPerTurn) {
        judgedBytes = 0;
        await nextTurn();
      }
      judgedBytes += event.payload.length;
      if (!subscription.filter(payload)) continue;
    }
    matched.push(endpoint);
  }
  return matched;
}
