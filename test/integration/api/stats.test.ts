/** `GET /v1/stats` over a database that a projector, the API itself and an ingress have counted into. */
import { addRejectedStats, run } from '#lib/event-store';
import { rollUpStats } from '../../../services/projector/retention/roll-up-stats.ts';
import { maxCounts } from '#lib/api-contract';
import { formatMicros } from '#lib/runtime';
import { duplicateFact, eventFact, fanOutFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, project } from '../projector/projection.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

const hour = 3_600_000_000;
let api: OpenApi;
let tenants = 0;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

interface Stats {
  since: string;
  until: string;
  counted_since: string | null;
  series: { series: string; key: string | null; counts: { at: string; count: number }[] }[];
}

const ask = async (tenant: string, query = ''): Promise<Stats> => {
  const answer = await api.ask({ path: `/v1/stats?${query}`, tenant });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json<Stats>();
};
/** `series key` → sum. */
const sums = ({ series }: Stats): Record<string, number> =>
  Object.fromEntries(
    series.map(({ series: name, key, counts }) => [
      key === null ? name : `${name} ${key}`,
      counts.reduce((sum, { count }) => sum + count, 0),
    ]),
  );

async function newTenant(): Promise<string> {
  const tenant = `stats-${(tenants += 1)}`;
  const [one, two] = ['evt_1', 'evt_2'].map((eventId) => ({ tenant, eventId })) as [Named, Named];
  await project(api.postgres, [
    eventFact(one),
    eventFact(two, { type: 'order.refunded', source_id: 'src_2' }),
    duplicateFact(one, { origin: 'd-1' }),
    fanOutFact(one, ['ep_a', 'ep_b']),
    outcomeFact(one, 'ep_a', 1, 'retrying'),
    outcomeFact(one, 'ep_a', 2, 'delivered'),
    outcomeFact(one, 'ep_b', 1, 'dead_lettered'),
  ]);
  const rejected = { tenant, source_id: 'src_1', outcome: 'signature_invalid', at: formatMicros(startAt) };
  await run(api.postgres, addRejectedStats, [
    { ...rejected, rejected: 2 },
    { ...rejected, outcome: 'payload_too_large', rejected: 1 },
  ]);
  return tenant;
}
interface Named {
  tenant: string;
  eventId: string;
}

test('each series is counted in all, and by each dimension that it has', async () => {
  const tenant = await newTenant();
  const until = 'until=2026-01-01T01:00:00Z';
  const all = { received: 2, duplicates: 1, rejected: 3, delivered: 1, failed: 2, dead_lettered: 1 };
  expect(sums(await ask(tenant, until))).toEqual(all);
  expect(sums(await ask(tenant, `${until}&by=type`))).toEqual({
    'received order.paid': 1,
    'received order.refunded': 1,
    'duplicates order.paid': 1,
    'delivered order.paid': 1,
    'failed order.paid': 2,
    'dead_lettered order.paid': 1,
  });
  expect(sums(await ask(tenant, `${until}&by=endpoint`))).toEqual({
    'delivered ep_a': 1,
    'failed ep_a': 1,
    'failed ep_b': 1,
    'dead_lettered ep_b': 1,
  });
  expect(sums(await ask(tenant, `${until}&by=source&series=received,rejected`))).toEqual({
    'received src_1': 1,
    'received src_2': 1,
    'rejected src_1': 3,
  });
  expect(sums(await ask(tenant, `${until}&by=outcome&series=failed,rejected,duplicates`))).toEqual({
    'duplicates same': 1,
    'rejected signature_invalid': 2,
    'rejected payload_too_large': 1,
    'failed http_5xx': 2,
  });
  expect(sums(await ask('another', until))).toEqual({});
});

test('what the API publishes is counted with the event, once', async () => {
  const tenant = `stats-${(tenants += 1)}`;
  const publish = () =>
    api.ask({
      method: 'POST',
      path: '/v1/events',
      tenant,
      body: { type: 'order.paid', payload: 1, event_id: 'once' },
    });
  const { id } = (await publish()).json<{ id: string }>();
  await publish();
  expect(sums(await ask(tenant, 'by=source'))).toEqual({ 'received api': 1 });
  // As it comes by its topic.
  await project(api.postgres, [eventFact({ tenant, eventId: id }, { source_id: 'api' })]);
  expect(sums(await ask(tenant, 'by=source'))).toEqual({ 'received api': 1 });
});

test('minutes become hours, and hours days, and nothing is counted more or less by it', async () => {
  const postgres = await openDatabase(2);
  try {
    const days = [0, 1, 50, 100];
    const tenant = 'rolled';
    const counted = async () =>
      postgres.query<{ step: string; rows: number; n: number }>(
        `SELECT step, count(*)::int AS rows, sum(received)::int AS n FROM stats
          WHERE tenant = $1 AND dimension = 'outcome' GROUP BY step ORDER BY step`,
        [tenant],
      );
    const paced = async (piece: () => Promise<{ last: boolean }>): Promise<void> => {
      while (!(await piece()).last);
    };
    const now = startAt + 101 * 24 * hour;
    const event = (day: number, minute: number, name = '') =>
      eventFact(
        { tenant, eventId: `evt_${day}_${minute}${name}` },
        { received_at: startAt + day * 24 * hour + minute * 60_000_000 },
      );
    for (const day of days) await project(postgres, [event(day, 0), event(day, 1), event(day, 61)]);
    expect(await counted()).toEqual([{ step: 'minute', rows: 12, n: 12 }]);
    await rollUpStats(postgres, now, paced);
    const rolled = [
      { step: 'day', rows: 2, n: 6 },
      { step: 'hour', rows: 2, n: 3 },
      { step: 'minute', rows: 3, n: 3 },
    ];
    expect(await counted()).toEqual(rolled);
    // One that comes late is counted where the others are by then.
    await project(postgres, [event(0, 5)]);
    await rollUpStats(postgres, now, paced);
    expect(await counted()).toEqual([{ step: 'day', rows: 2, n: 7 }, ...rolled.slice(1)]);
    await rollUpStats(postgres, startAt + 402 * 24 * hour, paced);
    expect(await counted()).toEqual([{ step: 'day', rows: 2, n: 6 }]);
  } finally {
    await closePostgres(postgres);
  }
});

describe('a request that asks for too much is refused with the name of the bound:', () => {
  test.each([
    ['step=1m&since=2025-12-20T00:00:00Z&until=2025-12-20T01:00:00Z', 'max_age'],
    ['step=1h&since=2025-08-01T00:00:00Z', 'max_steps'],
    ['by=endpoint&series=received', 'series'],
    ['series=nothing', 'series'],
    ['since=yesterday', 'since'],
    ['since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 'since'],
  ])('%s', async (query, names) => {
    const answer = await api.ask({ path: `/v1/stats?${query}`, tenant: 'none' });
    expect([answer.status, answer.text.includes(names)]).toEqual([400, true]);
  });

  test('more counts than an answer has', async () => {
    const tenant = `stats-${(tenants += 1)}`;
    await api.postgres.query(
      `INSERT INTO stats (tenant, dimension, step, key, at, received)
       SELECT $1, 'type', 'minute', 'type.' || n, '2026-01-01T00:00:00Z'::timestamptz + (m || ' minutes')::interval, 1
         FROM generate_series(1, 200) AS n, generate_series(0, 100) AS m`,
      [tenant],
    );
    const query = 'by=type&step=1m&since=2026-01-01T00:00:00Z&until=2026-01-01T02:00:00Z';
    const answer = await api.ask({ path: `/v1/stats?${query}`, tenant });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`${maxCounts} counts (max_counts)`)]);
    expect(sums(await ask(tenant, `${query.replace('1m', '1h')}`))['received type.7']).toBe(101);
  });
});
