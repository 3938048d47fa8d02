import { endpointCommitMs, endpointSettlingMs, type EventRecord, type PastSubscription } from '#lib/contract';
import { type FollowedRow, followTable, type Query } from '#lib/postgres';
import type { Clock, Logger, Part } from '#lib/runtime';
import { createReadHistories } from './read-histories.ts';
import type { Subscriber, SubscriberRow } from './subscriber.ts';
import { createSubscriptionIndex, type EventToMatch, type SubscriptionIndex } from './subscription-index.ts';

export interface EndpointDirectory<E extends Subscriber = Subscriber> {
  /** Includes deleted and disabled endpoints, whose open deliveries must be ended. */
  get(tenant: string, id: string): E | undefined;
  /** All endpoints that the event may belong to, and some others: `matchEndpoints` decides. */
  candidates(event: EventOfTenant): Iterable<E>;
  /** The same, if there are few; undefined if there may be more than `most`, at no cost. */
  fewCandidates(event: EventOfTenant, most: number): Iterable<E> | undefined;
  /**
   * Whether a fan-out of the event finds all changes that count for it: they were made `endpointSettlingMs` before its receipt, and committed
   * within `endpointCommitMs`. The time of the receipt is by the clock of an ingress. Where that lies ahead, a reading that began after the record was read
   * will do: nobody waits for the time to come.
   *
   * @param readAtMs when its record was read, in the clock's monotonic milliseconds
   */
  suffices(event: Pick<EventRecord, 'received_at'>, readAtMs: number): boolean;
  /** The same for an event of now, after a reading if one is needed; false if that fails, or takes longer than `readWithinMs`. */
  readFor(event: Pick<EventRecord, 'received_at'>): boolean | Promise<boolean>;
  /** A reading that suffices for records that have been read. @throws AppError store_unavailable */
  readForFanOut(): Promise<void>;
  /** How long ago the reading began that this directory is at least as new as. */
  ageMs(): number;
  /** Resolves when a reading that began after this call has ended. @throws AppError store_unavailable */
  refresh(): Promise<void>;
  /** Waits, not long, for a reading that is good enough to send by; undefined: there is one, or Postgres is away. */
  recent(): Promise<void> | undefined;
}

type EventOfTenant = EventToMatch & Pick<EventRecord, 'tenant'>;

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

/** A change that counts for an event is visible this long before the event's receipt. */
const visibleMs = endpointSettlingMs - endpointCommitMs;
/** A reading takes milliseconds. */
const readWithinMs = 1_000;

/** Every endpoint of every tenant, in memory. */
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
   * The row first, then its history: what has been added in between is a change that the row does not show yet, and matches events of before
   * the change as the row does. The other way round an event of before could be matched by the row as it became.
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

  const suffices: EndpointDirectory['suffices'] = ({ received_at: receivedAt }, readAtMs) => {
    // A list that grows old is read before somebody has to wait for it.
    void table.recent();
    return table.isAsOf(receivedAt - visibleMs * 1_000, readAtMs);
  };

  /** Resolves with the reading, however it ends, or when that takes too long. */
  const inTime = (reading: Promise<void>): Promise<void> =>
    new Promise((resolve) => {
      const stopLimit = clock.startLimit(readWithinMs, resolve);
      void reading
        .catch(() => undefined)
        .finally(() => {
          stopLimit();
          resolve();
        });
    });

  const table = followTable<Followed<Row>>({
    table: 'endpoints',
    columns: `${deps.columns}, history_revision, bytes, buried`,
    bytes: 'bytes',
    postgres,
    clock,
    log,
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
    suffices,
    readFor(event) {
      const nowMs = clock.monotonicMs();
      if (suffices(event, nowMs)) return true;
      if (table.isAway()) return false;
      return inTime(table.readAsOfNow()).then(() => suffices(event, nowMs));
    },
    readForFanOut: table.readAsOfNow,
    ageMs: () => clock.monotonicMs() - table.freshAtMs(),
  };
}

const keyOf = ({ tenant, id }: { tenant: string; id: string }): string => `${tenant}/${id}`;
