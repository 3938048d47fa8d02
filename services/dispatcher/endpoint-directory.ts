import type { Clock } from '#lib/clock';
import type { EventRecord } from '#lib/contract';
import type { Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { type FollowedRow, followTable, type Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { type Endpoint, endpointColumns, endpointOf, type EndpointRow } from './endpoint.ts';
import { createReadHistories, type Past } from './read-histories.ts';
import { createSubscriptionIndex, type JudgedEvent, type SubscriptionIndex } from './subscription-index.ts';

export interface EndpointDirectory {
  /** Deleted and disabled ones too: what is on its way to them has to be ended. */
  get(tenant: string, id: string): Endpoint | undefined;
  /** All that the event may belong to, and some that it does not: `matchEndpoints` judges. */
  candidates(event: JudgedEvent & Pick<EventRecord, 'tenant'>): Iterable<Endpoint>;
  /** How long ago the reading began that this directory is at least as new as. */
  ageMs(): number;
  /** Resolves when a reading that began after this call has ended. @throws AppError store_unavailable */
  refresh(): Promise<void>;
}

interface Deps {
  postgres: Query;
  secretBox: SecretBox;
  /** Of retries whose settings name none. */
  longestWindowMs: number;
  clock: Clock;
  log: Logger;
}

interface FollowedEndpointRow extends EndpointRow, FollowedRow {
  changed_at: string;
  history_revision: number;
  bytes: number;
}

interface Known {
  changedAt: string;
  /** As of which the endpoint's past is known. */
  historyRevision: number;
}

interface OfTenant {
  byId: Map<string, Endpoint>;
  index: SubscriptionIndex;
}

const intervalMs = 1_000;

/** Every endpoint of every tenant, in memory, not older than about a second while Postgres answers. */
export function createEndpointDirectory(deps: Deps): EndpointDirectory & Part {
  const { postgres, secretBox, longestWindowMs, clock, log } = deps;
  const tenants = new Map<string, OfTenant>();
  const known = new Map<string, Known>();
  const readHistories = createReadHistories(postgres);
  const tellUnreadable = (row: EndpointRow) => (error: Error) =>
    log.error({ event: 'endpoint.unreadable', tenant: row.tenant, endpointId: row.id, err: error });

  function take(row: FollowedEndpointRow, { history, historyRevision }: Past): void {
    const ofTenant: OfTenant = tenants.get(row.tenant) ?? { byId: new Map(), index: createSubscriptionIndex() };
    tenants.set(row.tenant, ofTenant);
    const reading = { secretBox, longestWindowMs, onUnreadable: tellUnreadable(row) };
    const endpoint = endpointOf({ ...row, history }, reading, ofTenant.byId.get(row.id));
    ofTenant.byId.set(row.id, endpoint);
    ofTenant.index.put(endpoint);
    known.set(keyOf(row), { changedAt: row.changed_at, historyRevision });
  }

  function remove({ tenant, id }: FollowedEndpointRow): void {
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
  async function takeRows(rows: FollowedEndpointRow[], anew: boolean): Promise<void> {
    const isRead = (row: FollowedEndpointRow): boolean =>
      !anew && row.history_revision === (known.get(keyOf(row))?.historyRevision ?? 0);
    const kept = rows.filter(({ buried }) => !buried);
    for (const row of rows) if (row.buried) remove(row);
    for (const row of kept.filter(isRead)) take(row, { history: undefined, historyRevision: row.history_revision });
    const changed = kept.filter((row) => !isRead(row));
    for await (const [row, past] of readHistories(changed)) take(row, past);
  }

  const table = followTable<FollowedEndpointRow>({
    table: 'endpoints',
    columns: `${endpointColumns}, history_revision, bytes, buried`,
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
    ageMs: () => clock.monotonicMs() - table.freshAtMs(),
  };
}

const keyOf = ({ tenant, id }: { tenant: string; id: string }): string => `${tenant}/${id}`;
