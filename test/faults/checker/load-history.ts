import type { DeliveryStatus, EventStatus } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { parseRfc3339 } from '#lib/runtime';
import type { ApiClient, DeliveryAnswer, EventAnswer } from '../../support/api-client.ts';
import type { TopicFollower } from '../../support/topic-follower.ts';
import { withDatabase } from '../../support/with-database.ts';
import type { Scope } from './check.ts';
import type {
  ApiEvent,
  Arrival,
  Change,
  EndpointFact,
  Fault,
  History,
  PollerHistory,
  Publish,
  Send,
  TableContents,
  TopicContents,
} from './history.ts';

export interface Witnesses {
  /** Default: all of it. */
  scope?: Scope;
  /** The sources of this run, where others use the system too: of theirs nothing is looked at. */
  sourceIds: ReadonlySet<string> | 'all';
  sends: readonly Send[];
  /** Absent means none. */
  publishes?: readonly Publish[];
  pollers?: readonly PollerHistory[];
  changes?: readonly Change[];
  arrivals: readonly Arrival[];
  /** Endpoints that a receiver of this run stands behind. */
  observedEndpoints: ReadonlySet<string>;
  faults: readonly Fault[];
  follower: TopicFollower;
  api: ApiClient;
  databaseUrl: string;
  /** RFC 3339; before the first send. */
  startedAt: string;
  /** The number of first events whose deliveries are read from the API; the others are read from the table. Default: all from the API. */
  eventsAskedFor?: number;
}

/** A table that takes longer to read is not read at all: Postgres hangs. */
const statementTimeoutMs = 60_000;

/**
 * Collects the evidence of every side in an order in which nothing is seen without its cause: a commit follows its writes, so commits are
 * read before topics; a delivery follows its publication, but its record comes later, so arrivals are read last.
 */
export async function loadHistory(witnesses: Witnesses): Promise<History> {
  const { follower, api, sourceIds } = witnesses;
  const sends = [...witnesses.sends];
  const committed = await follower.committed();
  const all = await follower.contents();
  const topics = sourceIds === 'all' ? all : onlyOf(sourceIds, all);
  const listed = await api.eventsSince(witnesses.startedAt);
  const own = sourceIds === 'all' ? listed : listed.filter((event) => sourceIds.has(event.source_id));
  return {
    sends,
    publishes: witnesses.publishes ?? [],
    pollers: witnesses.pollers ?? [],
    changes: witnesses.changes ?? [],
    endpoints: await loadEndpoints(api, witnesses.observedEndpoints),
    faults: witnesses.faults.map((fault) => ({ ...fault })),
    topics,
    committed,
    api: witnesses.scope === 'receiving' ? own.map((event) => apiEvent(event, [])) : await loadEvents(witnesses, own),
    tables: await loadTables(witnesses.databaseUrl, sourceIds === 'all' ? undefined : topics),
    arrivals: [...witnesses.arrivals],
  };
}

function onlyOf(sourceIds: ReadonlySet<string>, topics: TopicContents): TopicContents {
  const received = topics['webhooks.received'].filter((entry) => sourceIds.has(entry.sourceId));
  const events = topics.events.filter((entry) => sourceIds.has(entry.sourceId));
  const eventIds = new Set(events.map((entry) => entry.id));
  const deliveries = topics.deliveries.filter((entry) => eventIds.has(entry.eventId));
  const origins = new Set(received.map((entry) => entry.origin));
  // The things that a dead letter can be about.
  const named = new Set([...origins, ...events.map((entry) => entry.position), ...deliveries.map((entry) => entry.id)]);
  return {
    ...topics,
    'webhooks.received': received,
    events,
    deliveries,
    'delivery.attempts': topics['delivery.attempts'].filter((entry) => eventIds.has(entry.eventId)),
    duplicates: topics.duplicates.filter((entry) => origins.has(entry.origin)),
    'dead-letters': topics['dead-letters'].filter((entry) => named.has(entry.origin)),
  };
}

async function loadEndpoints(api: ApiClient, observed: ReadonlySet<string>): Promise<EndpointFact[]> {
  return (await api.endpoints()).map((endpoint) => ({
    id: endpoint.id,
    createdAtMs: (parseRfc3339(endpoint.created_at) ?? Number.NaN) / 1000,
    disabledAtMs: endpoint.disabled_at === null ? null : (parseRfc3339(endpoint.disabled_at) ?? Number.NaN) / 1000,
    sourceIds: endpoint.source_ids,
    observed: observed.has(endpoint.id),
  }));
}

async function loadEvents(
  { api, databaseUrl, eventsAskedFor = Number.POSITIVE_INFINITY }: Witnesses,
  listed: readonly EventAnswer[],
): Promise<ApiEvent[]> {
  const asked = await inTurns(listed.slice(0, eventsAskedFor), async (event) =>
    apiEvent(event, await api.deliveriesOf(event.id)),
  );
  const others = listed.slice(eventsAskedFor);
  if (others.length === 0) return asked;
  const rows = await withDatabase(
    databaseUrl,
    (postgres) =>
      postgres.query<DeliveryAnswer & { event_id: string }>(
        'SELECT id, event_id, endpoint_id, status, attempts FROM deliveries',
      ),
    statementTimeoutMs,
  );
  const byEvent = Map.groupBy(rows, ({ event_id }) => event_id);
  return [...asked, ...others.map((event) => apiEvent(event, byEvent.get(event.id) ?? []))];
}

function apiEvent(event: EventAnswer, deliveries: readonly DeliveryAnswer[]): ApiEvent {
  return {
    id: event.id,
    receiptId: event.receipt_id,
    status: event.status as EventStatus,
    updatedAt: event.updated_at,
    duplicates: event.duplicates,
    duplicatesChanged: event.duplicates_changed,
    counts: event.deliveries,
    deliveries: deliveries.map(({ id, endpoint_id, status, attempts }) => ({
      id,
      endpointId: endpoint_id,
      status: status as DeliveryStatus,
      attempts,
    })),
  };
}

/** @param of undefined: all rows; else the rows of these records */
async function loadTables(url: string, of: TopicContents | undefined): Promise<TableContents> {
  // A published event's origin is on no record.
  const origins = of && new Set([...of['webhooks.received'], ...of.events].map((entry) => entry.origin));
  const eventIds = of && new Set(of.events.map((entry) => entry.id));
  const deliveryIds = of && new Set(of.deliveries.map((entry) => entry.id));
  const { receipts, dedupKeys, waiting } = await withDatabase(url, readTables, statementTimeoutMs);
  return {
    receipts: receipts.filter((row) => origins?.has(row.origin) ?? true),
    // A completed row has no origin any more.
    dedupKeys: dedupKeys.filter(
      (row) => (row.origin === null ? eventIds?.has(row.eventId) : origins?.has(row.origin)) ?? true,
    ),
    waiting: waiting.filter((row) => deliveryIds?.has(row.deliveryId) ?? true),
  };
}

async function readTables(postgres: Query): Promise<TableContents> {
  return {
    receipts: await postgres.query<TableContents['receipts'][number]>(
      'SELECT origin, receipt_id AS "receiptId", event_id AS "eventId", duplicate FROM receipts',
    ),
    dedupKeys: await postgres.query<TableContents['dedupKeys'][number]>(
      'SELECT origin, event_id AS "eventId", expires_at IS NOT NULL AS completed FROM dedup_keys',
    ),
    waiting: await postgres.query<TableContents['waiting'][number]>(
      'SELECT delivery_id AS "deliveryId", state FROM waiting',
    ),
  };
}

const concurrentRequests = 8;

async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += concurrentRequests)
    results.push(...(await Promise.all(items.slice(start, start + concurrentRequests).map(work))));
  return results;
}
