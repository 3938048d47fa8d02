import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import type { Postgres } from '#lib/postgres';
import type { DeliveryStatus } from '#lib/contract';
import { type Clock, derivedId, formatMicros, systemClock } from '#lib/runtime';
import type { Fact } from '../../../services/projector/facts.ts';
import { createProjectorMetrics } from '../../../services/projector/metrics.ts';
import { createRetention } from '../../../services/projector/retention/retention.ts';
import { createKeptLog } from '../../unit/api/build-test-app.ts';
import { eventFact, outcomeFact } from '../../unit/projector/facts.ts';

export const day = 24 * 3600 * 1_000_000;
export const hour = day / 24;
/** Midnight; earlier than the database's clock, which is not changed. */
export const firstDay = Date.UTC(2026, 2, 1) * 1000;

export const eventDays = 90;

/** A projector's retention at a time that is given; it rests between its pieces of work for no longer than others need to have a turn. */
export function retentionOver(postgres: Postgres, { payloadDays = 30 } = {}) {
  let now = firstDay;
  const clock: Clock = {
    nowMs: () => now / 1000,
    monotonicMs: () => performance.now(),
    sleep: () => new Promise(setImmediate),
    sleepUntilNext: () => new Promise(setImmediate),
    startLimit: systemClock.startLimit,
  };
  const { log, lines } = createKeptLog();
  const registry = new Registry();
  const metrics = createProjectorMetrics(registry);
  const retention = createRetention({ postgres, payloadDays, eventDays, clock, log, metrics });
  return {
    lines,
    retention,
    runAt(at: number): Promise<boolean> {
      now = at;
      return retention.run();
    },
    async kept(table: string): Promise<number | undefined> {
      const { values } = await metrics.retentionKept.get();
      return values.find(({ labels }) => labels.table === table)?.value;
    },
  };
}

export interface Told {
  tenant: string;
  eventId: string;
  receivedAt: number;
}

/** As fan-out makes them: the id holds the time. */
export const deliveryOf = ({ eventId, receivedAt }: Told, endpointId: string, generation = 0): string =>
  derivedId('dlv', Math.floor(receivedAt / 1000), [eventId, endpointId, String(generation)]);

export const received = ({ tenant, eventId, receivedAt }: Told, bytes = 20): Fact =>
  eventFact({ tenant, eventId }, { received_at: receivedAt, payload: randomBytes(bytes), tags: { of: eventId } });

export const fannedOut = (told: Told, endpointIds: readonly string[], generation = 0): Fact => ({
  kind: 'fan-out',
  fanOut: {
    tenant: told.tenant,
    event_id: told.eventId,
    generation,
    at: told.receivedAt + 1,
    deliveries: endpointIds.map((endpoint_id) => ({
      endpoint_id,
      delivery_id: deliveryOf(told, endpoint_id, generation),
    })),
    chunk: null,
  },
});

export function stepped(told: Told, endpointId: string, step: number, status: DeliveryStatus, generation = 0): Fact {
  const fact = outcomeFact(told, endpointId, step, status, { generation });
  if (fact.kind !== 'outcome') throw new Error('an outcome is asked for');
  const at = told.receivedAt + step;
  const created_at = told.receivedAt + 1;
  return {
    kind: 'outcome',
    outcome: { ...fact.outcome, at, created_at, delivery_id: deliveryOf(told, endpointId, generation) },
  };
}

/** An event that came to its end at once. */
export const delivered = (told: Told, bytes?: number): Fact[] => [
  received(told, bytes),
  fannedOut(told, ['ep_a']),
  stepped(told, 'ep_a', 1, 'delivered'),
];

/** The event ids that have a payload. */
export async function payloads(postgres: Postgres, tenant: string): Promise<string[]> {
  const rows = await postgres.query<{ event_id: string }>(
    'SELECT event_id FROM event_payloads WHERE tenant = $1 ORDER BY received_at, event_id',
    [tenant],
  );
  return rows.map(({ event_id }) => event_id);
}

/** The events that have attempts. */
export async function attempted(postgres: Postgres, tenant: string): Promise<string[]> {
  const rows = await postgres.query<{ event_id: string }>(
    `SELECT d.event_id FROM attempts a JOIN deliveries d ON d.tenant = a.tenant AND d.id = a.delivery_id
      WHERE a.tenant = $1 ORDER BY a.at, d.event_id`,
    [tenant],
  );
  return rows.map(({ event_id }) => event_id);
}

export async function partitions(postgres: Postgres, table: string): Promise<string[]> {
  const rows = await postgres.query<{ name: string }>(
    `SELECT replace(inhrelid::regclass::text, $1 || '_', '') AS name FROM pg_inherits
      WHERE inhparent = $1::regclass ORDER BY name`,
    [table],
  );
  return rows.map(({ name }) => name);
}

export async function rowsIn(postgres: Postgres, relation: string): Promise<number> {
  const [row] = await postgres.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${relation}`);
  return row?.rows ?? 0;
}

export const dayName = (at: number): string => formatMicros(at).slice(0, 10).replaceAll('-', '');
