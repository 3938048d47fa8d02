import type { Clock } from '#lib/clock';
import type { EventRecord } from '#lib/contract';
import type { Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { followTable, type Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { type Endpoint, endpointColumns, endpointOf, type EndpointRow } from './endpoint.ts';
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

interface OfTenant {
  byId: Map<string, Endpoint>;
  index: SubscriptionIndex;
}

const intervalMs = 1_000;

/** Every endpoint of every tenant, in memory, not older than about a second while Postgres answers. */
export function createEndpointDirectory(deps: Deps): EndpointDirectory & Part {
  const { postgres, secretBox, longestWindowMs, clock, log } = deps;
  const tenants = new Map<string, OfTenant>();
  const changedAt = new Map<string, string>();
  const tellUnreadable = (row: EndpointRow) => (error: Error) =>
    log.error({ event: 'endpoint.unreadable', tenant: row.tenant, endpointId: row.id, err: error });

  const table = followTable<EndpointRow>({
    name: 'endpoints',
    postgres,
    clock,
    log,
    intervalMs,
    select: `SELECT ${endpointColumns} FROM endpoints`,
    onRows: (rows) => {
      for (const row of rows) {
        const key = `${row.tenant}/${row.id}`;
        // Each reading overlaps the last: most rows are known, and opening their secrets costs more than comparing a time.
        if (changedAt.get(key) === row.changed_at) continue;
        changedAt.set(key, row.changed_at);
        const ofTenant: OfTenant = tenants.get(row.tenant) ?? { byId: new Map(), index: createSubscriptionIndex() };
        tenants.set(row.tenant, ofTenant);
        const reading = { secretBox, longestWindowMs, onUnreadable: tellUnreadable(row) };
        const endpoint = endpointOf(row, reading, ofTenant.byId.get(row.id));
        ofTenant.byId.set(row.id, endpoint);
        ofTenant.index.put(endpoint);
      }
    },
  });

  return {
    ...table,
    get: (tenant, id) => tenants.get(tenant)?.byId.get(id),
    candidates: (event) => tenants.get(event.tenant)?.index.candidates(event) ?? [],
    ageMs: () => clock.monotonicMs() - table.freshAtMs(),
  };
}
