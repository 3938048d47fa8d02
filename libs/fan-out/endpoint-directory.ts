import type { Clock } from '#lib/clock';
import { endpointSettlingMs, type EventRecord, type PastSubscription } from '#lib/contract';
import type { Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { type FollowedRow, followTable, type Query } from '#lib/postgres';
import { createReadHistories } from './read-histories.ts';
import type { Subscriber, SubscriberRow } from './subscriber.ts';
import { createSubscriptionIndex, type JudgedEvent, type SubscriptionIndex } from './subscription-index.ts';

export interface EndpointDirectory<E extends Subscriber = Subscriber> {
  /** Includes deleted and disabled endpoints, whose open deliveries must be ended. */
  get(tenant: string, id: string): E | undefined;
  /** All endpoints that the event may belong to, and some others: `matchEndpoints` decides. */
  candidates(event: EventOfTenant): Iterable<E>;
  /** The same, if there are few; undefined if there may be more than `most`, at no cost. */
  fewCandidates(event: EventOfTenant, most: number): Iterable<E> | undefined;
  /** How long ago the reading began that this directory is at least as new as. */
  ageMs(): number;
  /** Resolves when a reading that began after this call has ended. @throws AppError store_unavailable */
  refresh(): Promise<void>;
}

type EventOfTenant = JudgedEvent & Pick<EventRecord, 'tenant'>;

interface Deps<Row, E> {
  /** A pool of its own: reading a page of the table may take long. */
  postgres: Query;
  /** SQL for the columns of `Row`. */
  columns: string;
  /** @param before the same endpoint as last read; then `row.history` may be undefined: unchanged */
  read(row: Row, before: E | undefined): E;
  clock: Clock;
  log: Logger;
}

type Followed<Row> = Row & FollowedRow & { history_revision: number; bytes: number };

interface Known {
  changedAt: string;
  /** The revision from which the endpoint's history is known. */
  historyRevision: number;
}

interface OfTenant<E extends Subscriber> {
  byId: Map<string, E>;
  index: SubscriptionIndex<E>;
}

const intervalMs = 1_000;
/** The time until a created endpoint is committed and can be read. */
const commitMs = 1_000;

/**
 * Whether the directory contains every endpoint that an event of now may belong to: an endpoint gets events accepted `endpointSettlingMs`
 * after its creation, and the directory is younger than that, less the time of a commit.
 */
export const isFresh = (directory: Pick<EndpointDirectory, 'ageMs'>): boolean =>
  directory.ageMs() < endpointSettlingMs - commitMs;

/** Every endpoint of every tenant, in memory, not older than about a second while Postgres answers. */
export function createEndpointDirectory<Row extends SubscriberRow, E extends Subscriber>(
  deps: Deps<Row, E>,
): EndpointDirectory<E> & Part {
  const { postgres, clock, log } = deps;
  const tenants = new Map<string, OfTenant<E>>();
  const known = new Map<string, Known>();
  const readHistories = createReadHistories(postgres);

  function take(row: Followed<Row>, history: readonly PastSubscription[] | undefined, historyRevision: number): void {
    const ofTenant: OfTenant<E> = tenants.get(row.tenant) ?? { byId: new Map(), index: createSubscriptionIndex() };
    tenants.set(row.tenant, ofTenant);
    const endpoint = deps.read({ ...row, history }, ofTenant.byId.get(row.id));
    ofTenant.byId.set(row.id, endpoint);
    ofTenant.index.put(endpoint);
    known.set(keyOf(row), { changedAt: row.changed_at, historyRevision });
  }

  function remove({ tenant, id }: FollowedRow): void {
    const ofTenant = tenants.get(tenant);
    ofTenant?.byId.delete(id);
    ofTenant?.index.remove(id);
    if (ofTenant?.byId.size === 0) tenants.delete(tenant);
    known.delete(keyOf({ tenant, id }));
  }

  /**
   * The row first, then its history: what has been added in between is a change that the row does not show yet, and judges events of before
   * the change as the row does. The other way round an event of before could be judged by the row as it became.
   */
  async function takeRows(rows: Followed<Row>[], anew: boolean): Promise<void> {
    const isRead = (row: Followed<Row>): boolean =>
      !anew && row.history_revision === (known.get(keyOf(row))?.historyRevision ?? 0);
    const kept = rows.filter(({ buried }) => !buried);
    for (const row of rows) if (row.buried) remove(row);
    for (const row of kept.filter(isRead)) take(row, undefined, row.history_revision);
    const changed = kept.filter((row) => !isRead(row));
    for await (const [row, past] of readHistories(changed)) take(row, past.history, past.historyRevision);
  }

  const table = followTable<Followed<Row>>({
    table: 'endpoints',
    columns: `${deps.columns}, history_revision, bytes, buried`,
    bytes: 'bytes',
    postgres,
    clock,
    log,
    intervalMs,
    knownChangedAt: (key) => known.get(keyOf(key))?.changedAt,
    takeRows,
  });

  return {
    ...table,
    get: (tenant, id) => tenants.get(tenant)?.byId.get(id),
    candidates: (event) => tenants.get(event.tenant)?.index.candidates(event) ?? [],
    fewCandidates(event, most) {
      const ofTenant = tenants.get(event.tenant);
      return ofTenant === undefined ? [] : ofTenant.index.fewCandidates(event, most);
    },
    ageMs: () => clock.monotonicMs() - table.freshAtMs(),
  };
}

const keyOf = ({ tenant, id }: { tenant: string; id: string }): string => `${tenant}/${id}`;
