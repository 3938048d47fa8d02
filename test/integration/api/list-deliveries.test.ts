import { createId, formatMicros } from '#lib/runtime';
import { deadLetterFact, eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { openPollingApi, type PollingApi } from './polling-api.ts';

let api: PollingApi;
const tenant = 'lists';
const startMs = Date.UTC(2026, 0, 1);
/** Deliveries of event n to endpoint n % 2. */
const deliveries = Array.from({ length: 6 }, (_, n) => ({
  id: createId('dlv', startMs + n * 1_000),
  eventId: createId('evt', startMs + n * 1_000),
  endpointId: `ep_${n % 2}`,
  createdAt: (startMs + n * 1_000 + 500) * 1_000,
}));
type Delivery = (typeof deliveries)[number];

function fanOut({ id, eventId, endpointId, createdAt }: Delivery) {
  const fact = fanOutFact({ tenant, eventId }, [endpointId]);
  if (fact.kind !== 'fan-out') throw new Error('no fan-out');
  const set = [{ delivery_id: id, endpoint_id: endpointId }];
  return { ...fact, fanOut: { ...fact.fanOut, at: createdAt, deliveries: set } };
}

function outcome(
  { id, eventId, endpointId, createdAt }: Delivery,
  ...step: [number, Parameters<typeof outcomeFact>[3]]
) {
  const fact = outcomeFact({ tenant, eventId }, endpointId, ...step);
  if (fact.kind !== 'outcome') throw new Error('no outcome');
  return { ...fact, outcome: { ...fact.outcome, delivery_id: id, created_at: createdAt } };
}

beforeAll(async () => {
  api = await openPollingApi();
  await project(
    api.postgres,
    deliveries.flatMap((delivery, n) => [
      eventFact(
        { tenant, eventId: delivery.eventId },
        { type: n < 4 ? 'order.paid' : 'order.sent', received_at: (startMs + n * 1_000) * 1_000 },
      ),
      fanOut(delivery),
    ]),
  );
  const [first, second, third, fourth, fifth] = deliveries as [Delivery, Delivery, Delivery, Delivery, Delivery];
  await project(api.postgres, [
    outcome(first, 1, 'delivered'),
    outcome(second, 1, 'dead_lettered'),
    outcome(third, 1, 'retrying'),
    outcome(fourth, 1, 'retrying'),
    outcome(fifth, 1, 'cancelled'),
  ]);
  await project(api.postgres, [outcome(fourth, 2, 'parked')]);
  const died = deadLetterFact(tenant, second.id);
  if (died.kind !== 'dead_letter') throw new Error('no dead letter');
  await project(api.postgres, [
    { ...died, deadLetter: { ...died.deadLetter, event_id: second.eventId, delivery_id: second.id } },
  ]);
});
afterAll(() => api.close());

async function ask(path: string, of = tenant) {
  const { status, headers, text } = await api.ask({ tenant: of, path });
  const [, next] = /<([^>]+)>; rel="next"/.exec(String(headers['link'] ?? '')) ?? [];
  return { status, next: next?.slice(next.indexOf('/v1/')), json: JSON.parse(text) as Record<string, unknown>[] };
}

async function listed(query: string, of = tenant): Promise<number[]> {
  const found: number[] = [];
  for (let path: string | undefined = `/v1/deliveries?limit=2&${query}`; path !== undefined;) {
    const page = await ask(path, of);
    expect({ path, status: page.status }).toEqual({ path, status: 200 });
    found.push(...page.json.map(({ id }) => deliveries.findIndex((delivery) => delivery.id === id)));
    path = page.next;
  }
  return found;
}

const createdAt = (n: number): string => formatMicros(deliveries[n]?.createdAt ?? 0);

test.each<[string, number[]]>([
  ['', [5, 4, 3, 2, 1, 0]],
  ['order=asc', [0, 1, 2, 3, 4, 5]],
  ['endpoint_id=ep_1', [5, 3, 1]],
  ['endpoint_id=ep_1&order=asc', [1, 3, 5]],
  ['endpoint_id=ep_1&status=pending', [5]],
  ['endpoint_id=ep_0&status=dead_lettered', []],
  ['status=delivered', [0]],
  ['status=pending', [5]],
  ['status=parked', [3]],
  ['status=dead_lettered', [1]],
  ['outcome=delivered', [0]],
  ['outcome=http_5xx', [3, 2, 1]],
  ['outcome=tls', []],
  ['http_status=500', [3, 2, 1]],
  ['http_status=200', [0]],
  ['http_status=500&event_type=order.sent', []],
  ['event_type=order.sent', [5, 4]],
  ['event_type=order.paid&endpoint_id=ep_0', [2, 0]],
  ['event_type=none', []],
  [`since=${createdAt(3)}`, [5, 4, 3]],
  [`until=${createdAt(3)}`, [2, 1, 0]],
  [`since=${createdAt(1)}&until=${createdAt(4)}&order=asc`, [1, 2, 3]],
])('deliveries by %s', async (query, expected) => {
  expect(await listed(query)).toEqual(expected);
  expect(await listed(query, 'another')).toEqual([]);
});

test.each([
  ['status=lost', 'status'],
  ['outcome=lost', 'outcome'],
  ['http_status=5xx', 'http_status'],
  ['since=yesterday', 'since'],
  ['order=newest', 'order'],
  ['cursor=dlv_1', 'cursor'],
  ['event=1', '/event'],
])('%s is 400, and names %s', async (query, field) => {
  const { status, json } = await ask(`/v1/deliveries?${query}`);
  expect({ status, json }).toMatchObject({ status: 400, json: { errors: [{ field: field.replace('/', '') }] } });
});

const failed = { last_outcome: 'http_5xx', last_http_status: 500 };
const unsent = { last_outcome: null, last_http_status: null, last_detail: null };

test('each delivery has the outcome of its last attempt, wherever it is read', async () => {
  const all = (await ask('/v1/deliveries?order=asc')).json;
  expect(all).toMatchObject([
    { status: 'delivered', last_outcome: 'delivered', last_http_status: 200, last_detail: null },
    { status: 'dead_lettered', ...failed, last_detail: null },
    { status: 'retrying', ...failed, last_detail: 'step 1' },
    // Nothing is sent when it is parked.
    { status: 'parked', ...failed, last_detail: 'step 1', detail: 'step 2' },
    { status: 'cancelled', ...unsent },
    { status: 'pending', ...unsent },
  ]);
  const [, second] = deliveries;
  expect((await ask(`/v1/deliveries/${second?.id}`)).json).toEqual(all[1]);
  expect((await ask(`/v1/events/${second?.eventId}/deliveries`)).json).toEqual([all[1]]);
  expect((await ask('/v1/dead-letters')).json).toMatchObject([
    { ...failed, last_detail: null, event_type: 'order.paid' },
  ]);
});
