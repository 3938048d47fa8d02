/**
 * Every list of events and deliveries reads a bounded number of rows, whatever its filters and however the rows are spread. The table is filled
 * with what planners misjudge: frequent values of which the newest rows have none, rare ones, and pairs of frequent values that never meet.
 */
import { createPostgres, type Postgres, type Query } from '#lib/postgres';
import { idRange, silentLogger } from '#lib/runtime';
import { type DeliveryFilter } from '../../../services/api/deliveries/filters.ts';
import { listDeliveries } from '../../../services/api/deliveries/queries.ts';
import { chooseEvents, countEvents, type ErasureFilter } from '../../../services/api/erasures/choose-events.ts';
import { type EventFilter, readEvents } from '../../../services/api/events/index.ts';
import { readNewestEvents } from '../../../services/api/events/newest.ts';
import { maxRead } from '../../../services/api/resources/bounded-list.ts';
import { findRecentAttempts } from '../../../services/api/endpoints/health-queries.ts';
import { fillLists, listTenant as tenant, listStartMs } from '../../support/fill-lists.ts';
import { createDatabase } from '../../support/servers.ts';

const rows = 150_000;
let postgres: Postgres;
beforeAll(async () => {
  postgres = createPostgres({
    url: await createDatabase(),
    applicationName: 'hookline-test',
    maxConnections: 2,
    statementTimeoutMs: 120_000,
    log: silentLogger,
  });
  await fillLists(postgres, rows);
});
afterAll(async () => {
  await postgres.start();
  await postgres.stop();
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** Runs statements as they are, and adds up the rows that they have read from tables and indexes. */
function watched(): Query & { read(): number; scanned: Set<string> } {
  let read = 0;
  const scanned = new Set<string>();
  const look = (plan: Plan): void => {
    const kind = plan['Node Type'];
    if (kind === 'Seq Scan' && plan['Relation Name'] !== undefined) scanned.add(plan['Relation Name']);
    const seen =
      plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
    if (plan['Relation Name'] !== undefined || kind === 'Bitmap Index Scan') read += seen * plan['Actual Loops'];
    plan.Plans?.forEach(look);
  };
  return {
    scanned,
    read: () => read,
    async query<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
      const [explained] = await postgres.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `EXPLAIN (ANALYZE, TIMING off, FORMAT json) ${text}`,
        values,
      );
      for (const { Plan: plan } of explained?.['QUERY PLAN'] ?? []) look(plan);
      return postgres.query<T>(text, values);
    },
  };
}

/** The lead is counted, walked, and walked again to see where it ends; each of its rows is looked up, with what a condition asks. */
const bound = 9 * maxRead;
/** A page that an index leads to has little more to read than it shows. */
const fewRows = 2_000;
const limit = 50;

/** @param n the event that was received then */
const at = (n: number): string => new Date(listStartMs + n).toISOString();
const ago = idRange('evt', { sinceMs: listStartMs + rows / 2 }).above ?? '';

test.each<[EventFilter, number, number]>([
  [{}, limit, fewRows],
  [{ type: 'frequent' }, limit, bound],
  [{ type: 'rare' }, 20, fewRows],
  [{ type: 'former' }, 0, bound],
  [{ type: 'none' }, 0, fewRows],
  [{ source_id: 'src_rare' }, 20, fewRows],
  [{ source_id: 'src_former' }, 0, bound],
  [{ endpoint_id: 'ep_frequent' }, limit, bound],
  [{ endpoint_id: 'ep_rare' }, 20, fewRows],
  [{ endpoint_id: 'none' }, 0, fewRows],
  [{ ordering_key: 'key_7' }, limit, fewRows],
  [{ ordering_key: 'none' }, 0, fewRows],
  [{ tag: ['name:frequent'] }, limit, fewRows],
  [{ tag: ['name:rare'] }, 20, fewRows],
  [{ tag: ['name:former'] }, limit, fewRows],
  [{ tag: ['name:none'] }, 0, fewRows],
  [{ tag: ['name:rare'], type: 'frequent' }, 13, bound],
  [{ tag: ['name:frequent', 'name:odd'] }, 0, bound],
  [{ receipt_id: 'rcp_77' }, 1, fewRows],
  [{ event_id: 'theirs_77' }, 1, fewRows],
  [{ event_id: 'none' }, 0, fewRows],
  [{ trace_id: '00000000000000000000000000000101' }, 1, fewRows],
  [{ trace_id: 'f'.repeat(32) }, 0, bound],
  [{ has: ['duplicates'] }, limit, fewRows],
  [{ has: ['changed'] }, limit, fewRows],
  [{ has: ['dead_letters'] }, limit, fewRows],
  [{ has: ['duplicates', 'dead_letters'] }, limit, bound],
  [{ status: 'completed' }, limit, fewRows],
  [{ status: 'received' }, 20, fewRows],
  [{ status: 'processing' }, limit, bound],
  [{ status: 'dead_lettered' }, limit, fewRows],
  // Frequent both, never together.
  [{ type: 'frequent', source_id: 'src_odd' }, 0, bound],
  [{ type: 'frequent', endpoint_id: 'ep_odd' }, 0, bound],
  [{ type: 'frequent', status: 'dead_lettered' }, limit, bound],
  [{ type: 'rare', endpoint_id: 'ep_odd' }, 20, bound],
  [{ ordering_key: 'key_7', type: 'none' }, 0, fewRows],
  [{ received_until: at(1_000) }, limit, fewRows],
  [{ received_since: at(rows - 10) }, 10, fewRows],
  [{ type: 'former', received_until: at(rows / 3) }, limit, bound],
])('events by %j', async (filter, expected, most) => {
  for (const place of [undefined, { side: 'older', eventId: ago }, { side: 'newer', eventId: ago }] as const) {
    const query = watched();
    const { events } = await readNewestEvents(query, tenant, filter, { limit, place });
    if (place === undefined) expect(events.length).toBe(expected);
    expect(query.read()).toBeLessThan(most);
    expect([...query.scanned]).toEqual([]);
  }
});

test.each<[EventFilter, number]>([
  [{ type: 'rare' }, 20],
  [{ source_id: 'src_rare' }, 20],
  [{ endpoint_id: 'ep_rare' }, 20],
  [{ ordering_key: 'key_7' }, limit],
  [{ tag: ['name:rare'] }, 20],
  [{ receipt_id: 'rcp_77' }, 1],
  [{ event_id: 'theirs_77' }, 1],
  [{ trace_id: '00000000000000000000000000000101' }, 1],
  [{ has: ['duplicates'] }, limit],
  [{ has: ['changed'] }, limit],
  [{ has: ['dead_letters'] }, limit],
  [{ status: 'received' }, 20],
  [{ status: 'dead_lettered' }, limit],
  [{ received_since: at(rows - 10) }, 10],
  [{ received_since: at(rows / 2), received_until: at(rows / 2 + 10) }, 10],
  [{ received_until: at(10) }, 10],
])('a poll by %j reads little more than it shows', async (filter, expected) => {
  const query = watched();
  expect((await readEvents(query, tenant, filter, limit)).events.length).toBe(expected);
  expect(query.read()).toBeLessThan(2 * fewRows);
  expect([...query.scanned]).toEqual([]);
});

test.each<EventFilter>([{ source_id: 'src_former' }, { received_until: at(rows / 2) }, { type: 'former' }])(
  'a poll by %j reads nothing of what was before its cursor',
  async (filter) => {
    const query = watched();
    const updated_at_gte = at(rows - fewRows / 2 + 1_000);
    expect((await readEvents(query, tenant, { ...filter, updated_at_gte }, limit)).events).toEqual([]);
    expect(query.read()).toBeLessThan(2 * fewRows);
  },
);

test.each<[DeliveryFilter, number, number]>([
  [{}, limit, fewRows],
  [{ endpoint_id: 'ep_frequent' }, limit, fewRows],
  [{ endpoint_id: 'ep_rare' }, 20, fewRows],
  [{ endpoint_id: 'none' }, 0, fewRows],
  [{ endpoint_id: 'ep_frequent', status: 'dead_lettered' }, limit, fewRows],
  [{ endpoint_id: 'ep_frequent', status: 'parked' }, 0, fewRows],
  [{ status: 'delivered' }, limit, fewRows],
  [{ status: 'pending' }, limit, bound],
  [{ status: 'retrying' }, 15, fewRows],
  [{ status: 'dead_lettered' }, limit, fewRows],
  [{ status: 'cancelled' }, 0, fewRows],
  [{ outcome: 'delivered' }, limit, fewRows],
  [{ outcome: 'http_5xx' }, limit, fewRows],
  [{ outcome: 'tls' }, 0, fewRows],
  [{ http_status: '200' }, limit, fewRows],
  [{ http_status: '503' }, limit, fewRows],
  [{ http_status: '418' }, 0, fewRows],
  [{ event_type: 'frequent' }, limit, bound],
  [{ event_type: 'rare' }, 20, fewRows],
  [{ event_type: 'former' }, 0, bound],
  [{ event_type: 'frequent', endpoint_id: 'ep_odd' }, 0, bound],
  [{ event_type: 'none', outcome: 'http_5xx' }, 0, bound],
  [{ since: at(rows - 10) }, 10, bound],
  [{ until: at(10), outcome: 'delivered' }, 0, bound],
])('deliveries by %j', async (filter, expected, most) => {
  for (const descending of [true, false]) {
    const query = watched();
    const page = await listDeliveries(query, tenant, filter, { limit, after: null, descending });
    if (descending) expect(page.rows.length).toBe(expected);
    expect(query.read()).toBeLessThan(most);
    expect([...query.scanned]).toEqual([]);
  }
});

test.each<[ErasureFilter, number]>([
  [{ event_id: 'theirs_77' }, 1],
  [{ tag: ['name:rare'] }, 20],
  [{ type: 'rare' }, 20],
  [{ source_id: 'src_rare' }, 20],
])('an erasure by %j finds its events by an index', async (filter, expected) => {
  const asOf = new Date(listStartMs + 2 * rows).toISOString();
  const query = watched();
  expect(await countEvents(query, tenant, filter, asOf)).toEqual({ matched: expected, more: false });
  const asked = { tenant, filter, as_of: asOf };
  expect(await chooseEvents(query, asked, '-infinity', 100)).toHaveLength(expected);
  expect(query.read()).toBeLessThan(fewRows);
  expect([...query.scanned]).toEqual([]);
});

test('the health of an endpoint reads few of its deliveries', async () => {
  const query = watched();
  await findRecentAttempts(query, { tenant, id: 'ep_frequent' });
  expect(query.read()).toBeLessThan(fewRows);
  expect([...query.scanned].filter((table) => table === 'deliveries')).toEqual([]);
});

test('a page that has found nothing yet leads on to what there is', async () => {
  let place: { side: 'older'; eventId: string } | undefined;
  let pages = 0;
  for (;;) {
    const { events, below } = await readNewestEvents(postgres, tenant, { type: 'former' }, { limit, place });
    if (events.length > 0) break;
    if (below === undefined) throw new Error('nothing is said to be there');
    place = { side: 'older', eventId: below };
    pages += 1;
  }
  expect(pages).toBeGreaterThan(1);
});
