import type { EventMatch } from '#lib/api-contract';
import { countsFrom, matchedWithinDays } from '#lib/contract';
import { type EventFilter, failingClause, matchEach } from '#lib/event-filter';
import { deliveryIdOf, subscriptionFor, type Unmatched } from '#lib/fan-out';
import type { Query } from '#lib/postgres';
import { microsOf, nowMicros } from '#lib/runtime';
import type { RouteDeps } from '../../route.ts';
import type { EventWithPayload } from '../queries.ts';
import { type EndpointAsked, subscribersAt, type SubscriberThen } from './subscribers.ts';

/**
 * Explains the fan-out of an event, endpoint by endpoint: matched by the code of fan-out, as of the event's receipt, with the steps that the
 * endpoints before it have left.
 */

interface Asked {
  tenant: string;
  event: EventWithPayload;
  /** Never fanned out: it was sent to one endpoint as a test. */
  isTest: boolean;
  endpoints: readonly EndpointAsked[];
  /** Steps of the event that the endpoints before these have left. */
  stepsLeft: number;
}

type Verdict = Pick<EventMatch, 'matched' | 'reason'> & Partial<Pick<EventMatch, 'unjudged' | 'expected' | 'clause'>>;

const dayMicros = 24 * 3600 * 1_000_000;

/** In the order of the endpoints. */
export async function matchEvent(
  { postgres, matchTurns: turns, clock, log }: Pick<RouteDeps, 'postgres' | 'matchTurns' | 'clock' | 'log'>,
  { tenant, event, isTest, endpoints, stepsLeft }: Asked,
): Promise<{ matches: EventMatch[]; stepsLeft: number }> {
  const receivedAt = microsOf(event.received_at);
  const matchedEvent = {
    received_at: receivedAt,
    type: event.type,
    source_id: event.source_id,
    request: { trail: event.trail ?? [] },
  };
  const isOld = receivedAt < nowMicros(clock) - matchedWithinDays * dayMicros;
  const verdicts = new Map<string, Verdict>();
  const candidates: Candidate[] = [];

  for await (const then of subscribersAt(postgres, endpoints, { receivedAt, log })) {
    const wait = turns.wait(tenant);
    if (wait !== undefined) await wait;
    const { endpoint, subscriber, subscription } = then;
    turns.spend(subscription.filter === null ? 1 : stepsToCompile);
    const found = subscriptionFor(matchedEvent, subscriber);
    const settle = (verdict: Verdict): void => void verdicts.set(endpoint.id, verdict);
    if (isTest) settle({ matched: false, reason: 'test_event' });
    else if (found === 'loop' || found === 'created_later') settle({ matched: false, reason: found });
    else if (isOld && then.isPruned && !isDeletedAt(endpoint, receivedAt))
      settle({ matched: null, reason: 'history_removed' });
    else if (typeof found === 'string') settle(refusedBy(found, then, receivedAt));
    else if (found.filter !== null && event.body === null) settle({ matched: null, reason: 'payload_removed' });
    else candidates.push({ id: endpoint.id, filter: found.filter, stored: subscription.filter });
  }

  const bytes = event.body ?? Buffer.alloc(0);
  const left = await matchEach(
    candidates,
    { tenant, bytes, contentType: event.content_type ?? '', contentEncoding: event.content_encoding, turns },
    stepsLeft,
    {
      takes: ({ candidate, unjudged = null }) =>
        void verdicts.set(candidate.id, { matched: true, reason: null, unjudged }),
      refuses({ id, stored }, payload) {
        const { clause, steps } = failingClause(stored, payload);
        const isJson = payload.content().kind === 'document';
        verdicts.set(id, { matched: false, reason: isJson ? 'filter' : 'payload_not_json', clause });
        return stepsToCompile + steps;
      },
    },
  );

  const deliveries = await deliveriesOf(postgres, tenant, { id: event.id, received_at: receivedAt }, endpoints);
  return { matches: endpoints.map((endpoint) => matchOf(endpoint, verdicts, deliveries)), stepsLeft: left };
}

interface Candidate {
  id: string;
  filter: EventFilter | null;
  /** As the endpoint has it. */
  stored: unknown;
}

/** A filter of the largest size is checked and compiled in the time of so many steps. */
const stepsToCompile = 2_000;

function refusedBy(
  found: Exclude<Unmatched, 'loop' | 'created_later'>,
  { endpoint, subscription }: SubscriberThen,
  receivedAt: number,
): Verdict {
  switch (found) {
    case 'closed':
      return { matched: false, reason: isDeletedAt(endpoint, receivedAt) ? 'deleted' : 'disabled' };
    case 'type':
      return { matched: false, reason: 'type', expected: subscription.event_types };
    case 'source':
      return { matched: false, reason: 'source', expected: subscription.source_ids };
  }
}

/** A deletion counts from its `effective_at` on, like any change, and is the last. */
const isDeletedAt = (
  { deleted_at: deletedAt, effective_at: effectiveAt }: EndpointAsked,
  receivedAt: number,
): boolean => deletedAt !== null && receivedAt >= countsFrom(effectiveAt, deletedAt);

/** The deliveries of the event's own fan-out, by endpoint. */
async function deliveriesOf(
  postgres: Query,
  tenant: string,
  event: { id: string; received_at: number },
  endpoints: readonly EndpointAsked[],
): Promise<Map<string, string>> {
  const endpointOf = new Map(endpoints.map(({ id }) => [deliveryIdOf(event, id), id]));
  const rows = await postgres.query<{ id: string }>(
    'SELECT id FROM deliveries WHERE tenant = $1 AND id = ANY ($2::text[])',
    [tenant, [...endpointOf.keys()]],
  );
  return new Map(rows.map(({ id }) => [endpointOf.get(id) ?? '', id]));
}

const undecided: Required<Verdict> = { matched: null, reason: null, unjudged: null, expected: null, clause: null };

function matchOf(
  { id, url, created_at, disabled_at, deleted_at }: EndpointAsked,
  verdicts: ReadonlyMap<string, Verdict>,
  deliveries: ReadonlyMap<string, string>,
): EventMatch {
  const delivery_id = deliveries.get(id) ?? null;
  const verdict = { ...undecided, ...verdicts.get(id) };
  // The delivery, if there was one, tells what can't be decided any more.
  const known = verdict.matched === null && delivery_id !== null ? { matched: true, reason: null } : {};
  const shownUrl = deleted_at === null ? url : null;
  return { endpoint_id: id, url: shownUrl, ...verdict, ...known, delivery_id, created_at, disabled_at, deleted_at };
}
