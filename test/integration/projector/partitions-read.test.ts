/** A statement on one event's payload, or one delivery's attempts, opens only the one partition that they are in. */
import type { Postgres, Query } from '#lib/postgres';
import { createId, formatMicros } from '#lib/runtime';
import { listAttempts } from '../../../services/api/deliveries/attempts.ts';
import { findEvent } from '../../../services/api/events/index.ts';
import { createWaitingTable } from '../../../services/dispatcher/waiting/waiting-table.ts';
import { closePostgres, openDatabase, project } from './projection.ts';
import {
  day,
  dayName,
  delivered,
  deliveryOf,
  fannedOut,
  firstDay,
  received,
  retentionOver,
  stepped,
  type Told,
} from './retained.ts';

const tenant = 't';
const told = Array.from({ length: 6 }, (_, number): Told => ({
  tenant,
  eventId: createId('evt', (firstDay + number * day) / 1000),
  receivedAt: firstDay + number * day + 5_000,
}));
const [first, , third] = told as [Told, Told, Told];

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase();
  await retentionOver(postgres).runAt(firstDay);
  for (const event of told.slice(1)) await project(postgres, delivered(event));
  await project(postgres, [received(first), fannedOut(first, ['ep_a']), stepped(first, 'ep_a', 1, 'retrying')]);
});
afterAll(() => closePostgres(postgres));

interface Plan {
  'Relation Name'?: string;
  'Actual Loops'?: number;
  Plans?: Plan[];
}

/** The partitions that a call of ours really scans, as EXPLAIN ANALYZE has it. */
async function partitionsRead(call: (postgres: Query) => Promise<unknown>): Promise<string[]> {
  const read = new Set<string>();
  const look = (plan: Plan): void => {
    const relation = plan['Relation Name'] ?? '';
    if (/^(event_payloads|attempts)_/.test(relation) && (plan['Actual Loops'] ?? 0) > 0) read.add(relation);
    plan.Plans?.forEach(look);
  };
  await call({
    async query<T extends object>(text: string, values: readonly unknown[] = [], name?: string) {
      const [row] = await postgres.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values,
      );
      look(row?.['QUERY PLAN'][0]?.Plan ?? {});
      return postgres.query<T>(text, values, name);
    },
  });
  return [...read];
}

test('to read an event with its payload', async () => {
  expect(await partitionsRead((query) => findEvent(query, tenant, third.eventId))).toEqual([
    `event_payloads_${dayName(third.receivedAt)}`,
  ]);
  expect((await findEvent(postgres, tenant, third.eventId))?.body).toBeInstanceOf(Buffer);
});

test('to list a delivery’s attempts', async () => {
  const id = deliveryOf(third, 'ep_a');
  const page = { after: null, limit: 10 };
  expect(await partitionsRead((query) => listAttempts(query, tenant, id, page))).toEqual([
    `attempts_${dayName(third.receivedAt)}`,
  ]);
  expect(await listAttempts(postgres, tenant, id, page)).toHaveLength(1);
});

test('to find what is due, and what is to be sent', async () => {
  const noneKnown = { perTenant: 100, perPartition: 100, tenants: [], starts: [], lanes: [], except: [] };
  const question = { partitions: [4], now: Date.now() * 1_000, perLane: 10, limit: 10, ...noneKnown };
  const tableOver = (query: Query) => createWaitingTable(query, query);
  expect(await partitionsRead((query) => tableOver(query).due(question))).toEqual([
    `event_payloads_${dayName(first.receivedAt)}`,
  ]);
  expect(await tableOver(postgres).due(question)).toMatchObject([{ eventId: first.eventId, payloadBytes: 20 }]);
  const wanted = [{ tenant, eventId: first.eventId }];
  expect(await partitionsRead((query) => tableOver(query).contents(wanted))).toEqual([
    `event_payloads_${dayName(first.receivedAt)}`,
  ]);
  expect(await tableOver(postgres).contents(wanted)).toMatchObject([
    { eventId: first.eventId, receivedAt: first.receivedAt },
  ]);
});

test('but for nothing where there is none: an event whose payload is past its time is read without', async () => {
  await retentionOver(postgres).runAt(firstDay + 40 * day);
  expect(await findEvent(postgres, tenant, third.eventId)).toMatchObject({
    id: third.eventId,
    body: null,
    received_at: formatMicros(third.receivedAt),
  });
});
