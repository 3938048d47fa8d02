/** Events and deliveries in the order of their receipt, over real rows. */
import { compoundKeyOf, dedupKeyOf } from '#lib/dedup-store';
import type { Query } from '#lib/postgres';
import { createId, formatMicros } from '#lib/runtime';
import { readEvents } from '../../../services/api/events/index.ts';
import { readNewestEvents } from '../../../services/api/events/newest.ts';
import { eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { project } from '../projector/projection.ts';
import { openPollingApi, type PollingApi } from './polling-api.ts';

let api: PollingApi;
beforeAll(async () => {
  api = await openPollingApi();
});
afterAll(() => api.close());

interface Shown {
  id: string;
  updated_at: string;
}

interface Page {
  items: Shown[];
  next: string | undefined;
  prev: string | undefined;
  cursor: string;
}

const startMs = Date.UTC(2026, 0, 1);
let tenants = 0;
const newTenant = (): string => `newest-${(tenants += 1)}`;

/** An event that was received at this millisecond, as dedup makes it. */
function received(tenant: string, atMs: number, more: Parameters<typeof eventFact>[1] = {}) {
  const eventId = createId('evt', atMs);
  return eventFact(
    { tenant, eventId },
    { received_at: atMs * 1_000, dedup_key: Buffer.from(eventId), origin: `o-${eventId}`, event_id: null, ...more },
  );
}

const idsOf = (facts: readonly { event: { id: string } }[]): string[] => facts.map(({ event }) => event.id);
const newestFirst = (ids: readonly string[]): string[] => ids.toSorted().toReversed();

async function page(tenant: string, path: string): Promise<Page> {
  const { status, headers, text } = await api.ask({ tenant, path });
  expect({ path, status, text: status === 200 ? '' : text }).toEqual({ path, status: 200, text: '' });
  const link = (rel: string): string | undefined => {
    const [, url] = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(String(headers['link'] ?? '')) ?? [];
    return url === undefined ? undefined : url.slice(url.indexOf('/v1/'));
  };
  return {
    items: JSON.parse(text) as Shown[],
    next: link('next'),
    prev: link('prev'),
    cursor: String(headers['hookline-cursor']),
  };
}

async function walk(tenant: string, path: string, rel: 'next' | 'prev' = 'next'): Promise<Page[]> {
  const pages: Page[] = [];
  for (let at: string | undefined = path; at !== undefined; at = pages.at(-1)?.[rel])
    pages.push(await page(tenant, at));
  return pages;
}

const shown = (pages: readonly Page[]): string[] => pages.flatMap(({ items }) => items.map(({ id }) => id));

test('pages lead from the newest to the oldest, and back', async () => {
  const tenant = newTenant();
  const facts = Array.from({ length: 7 }, (_, n) => received(tenant, startMs + n));
  await project(api.postgres, facts);
  const all = newestFirst(idsOf(facts));

  const down = await walk(tenant, '/v1/events?order=desc&limit=3');
  expect(down.map(({ items }) => items.length)).toEqual([3, 3, 1]);
  expect(shown(down)).toEqual(all);
  expect(down[0]?.prev).toBeUndefined();

  const up = await walk(tenant, down.at(-1)?.prev ?? '', 'prev');
  expect(up.map(({ items }) => items.map(({ id }) => id))).toEqual([all.slice(3, 6), all.slice(0, 3)]);
  expect(shown(await walk(tenant, up.at(-1)?.next ?? ''))).toEqual(all.slice(3));
});

test('one event a page', async () => {
  const tenant = newTenant();
  const facts = Array.from({ length: 3 }, (_, n) => received(tenant, startMs + n));
  await project(api.postgres, facts);
  expect(shown(await walk(tenant, '/v1/events?order=desc&limit=1'))).toEqual(newestFirst(idsOf(facts)));
});

test('a tenant without events has an empty page, and a cursor to poll from', async () => {
  const tenant = newTenant();
  const { items, next, prev, cursor } = await page(tenant, '/v1/events?order=desc');
  expect({ items, next, prev }).toEqual({ items: [], next: undefined, prev: undefined });
  const late = received(tenant, startMs);
  await project(api.postgres, [late]);
  expect(shown([await page(tenant, `/v1/events?cursor=${cursor}`)])).toEqual(idsOf([late]));
});

test('while events come, a walk shows each once that was there at its beginning, and its cursor leads to all others', async () => {
  const tenant = newTenant();
  const random = seededRandom(1);
  const before = Array.from({ length: 60 }, (_, n) => received(tenant, startMs + n * 10));
  await project(api.postgres, before);

  const during: string[] = [];
  let writing = true;
  // Some of them were received long before they come.
  const write = async (): Promise<void> => {
    while (writing) {
      const fact = received(tenant, startMs + Math.floor(random() * 1_000));
      const known = before[Math.floor(random() * before.length)]?.event.id ?? '';
      await project(api.postgres, [fact, fanOutFact({ tenant, eventId: known }, [`ep_${during.length}`])]);
      during.push(fact.event.id);
    }
  };
  const writers = [write(), write(), write()];
  const pages = await walk(tenant, '/v1/events?order=desc&limit=4');
  writing = false;
  await Promise.all(writers);

  const walked = shown(pages);
  expect(new Set(walked).size).toBe(walked.length);
  expect(walked).toEqual(newestFirst(walked));
  expect(before.filter(({ event }) => !walked.includes(event.id))).toEqual([]);
  expect(during.length).toBeGreaterThan(0);
  expect(new Set(pages.map(({ cursor }) => cursor)).size).toBe(1);

  const seen = new Map(pages.flatMap(({ items }) => items.map(({ id, updated_at }) => [id, updated_at])));
  for (const { items } of await walk(tenant, `/v1/events?cursor=${pages.at(-1)?.cursor}`))
    for (const { id, updated_at } of items) seen.set(id, updated_at);
  const rows = await api.postgres.query<Shown>('SELECT id, updated_at FROM events WHERE tenant = $1', [tenant]);
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(rows.map(({ id, updated_at }) => [id, updated_at])));
});

test.each(['event_id=theirs', `trace_id=${'5'.repeat(32)}`, 'type=order.paid'])(
  'an event that comes while a list by %s is read is in it, or behind its clock',
  async (query) => {
    const tenant = newTenant();
    const [[name = '', value = ''] = []] = new URLSearchParams(query);
    const dedup_key = dedupKeyOf(tenant, 'api', { kind: 'text', text: 'theirs' });
    const fact = received(tenant, startMs, { event_id: 'theirs', source_id: 'api', dedup_key });
    fact.traceparent = `00-${'5'.repeat(32)}-${'2'.repeat(16)}-01`;
    await project(api.postgres, [received(tenant, startMs - 1_000)]);
    const lists = [
      (postgres: Query) => readNewestEvents(postgres, tenant, { [name]: value }, { limit: 10, place: undefined }),
      (postgres: Query) => readEvents(postgres, tenant, { [name]: value }, 10),
    ];
    const places = lists.flatMap((list) => [1, 2, 3, 4].map((before) => ({ list, before })));
    for (const { list, before } of places) {
      let statements = 0;
      const interrupted: Query = {
        async query(...statement) {
          if ((statements += 1) === before) await project(api.postgres, [fact]);
          return api.postgres.query(...statement);
        },
      };
      const { events, clockAt } = await list(interrupted);
      const [row] = await api.postgres.query<Shown>('SELECT updated_at FROM events WHERE tenant = $1 AND id = $2', [
        tenant,
        fact.event.id,
      ]);
      const isShown = events.some(({ id }) => id === fact.event.id);
      expect(isShown || row === undefined || row.updated_at > (clockAt ?? '')).toBe(true);
      await api.postgres.query('DELETE FROM events WHERE tenant = $1 AND id = $2', [tenant, fact.event.id]);
      await api.postgres.query('DELETE FROM receipts WHERE tenant = $1 AND event_id = $2', [tenant, fact.event.id]);
    }
  },
);

test('a page is of its tenant alone, and nobody makes one up', async () => {
  const [tenant, other] = [newTenant(), newTenant()];
  await project(api.postgres, [received(tenant, startMs), received(tenant, startMs + 1), received(other, startMs)]);
  const { next = '' } = await page(tenant, '/v1/events?order=desc&limit=1');
  const refusal = async (path: string, asked = tenant) => {
    const { status, text } = await api.ask({ tenant: asked, path });
    return { status, errors: (JSON.parse(text) as { errors?: object[] }).errors };
  };
  const invalid = { status: 400, errors: [{ field: 'page', message: 'is not a valid page of this tenant' }] };
  expect(await refusal(next, other)).toEqual(invalid);
  expect(await refusal(`${next}x`)).toEqual(invalid);
  expect(await refusal('/v1/events?page=AAAA')).toMatchObject({ status: 400, errors: [{ field: 'page' }] });
});

test.each([
  ['order=desc&cursor=x', 'cursor'],
  ['order=desc&updated_at_gte=2026-01-01T00:00:00Z', 'updated_at_gte'],
  ['order=desc&wait=1', 'wait'],
  ['order=desc&limit=0', 'limit'],
  ['order=newest', 'order'],
  ['order=desc&received_since=yesterday', 'received_since'],
  ['order=desc&has=payload', 'has'],
  ['order=desc&trace_id=1', 'trace_id'],
  ['limit=1&updated_at_gte=2026-01-01T00:00:00Z', 'limit'],
])('%s is 400, and names %s', async (query, field) => {
  const { status, text } = await api.ask({ tenant: newTenant(), path: `/v1/events?${query}` });
  expect({ status, json: JSON.parse(text) as unknown }).toMatchObject({ status: 400, json: { errors: [{ field }] } });
});

test('a page of one advances by cursor', async () => {
  const tenant = newTenant();
  const facts = Array.from({ length: 3 }, (_, n) => received(tenant, startMs + n));
  for (const fact of facts) await project(api.postgres, [fact]);
  expect(shown(await walk(tenant, '/v1/events?limit=1'))).toEqual(idsOf(facts));
});

describe('an event is found', () => {
  const tenant = newTenant();
  const sourceId = `src_${'1'.repeat(26)}`;
  const facts = Array.from({ length: 6 }, (_, n) =>
    received(tenant, startMs + n, {
      event_id: `theirs_${n}`,
      source_id: n < 3 ? sourceId : 'api',
      dedup_key:
        n === 2
          ? compoundKeyOf(tenant, sourceId, { shown: 'theirs_2', parts: [{ kind: 'receipt', id: 'rcp_1' }] })
          : dedupKeyOf(
              tenant,
              n < 3 ? sourceId : 'api',
              n === 1 ? { kind: 'number', source: `theirs_${n}` } : { kind: 'text', text: `theirs_${n}` },
            ),
      ordering_key: `key_${n % 2}`,
    }),
  );
  const ids = idsOf(facts);
  beforeAll(async () => {
    await api.postgres.query(
      `INSERT INTO sources (tenant, id, name, scheme, secrets, deleted_at) VALUES ($1, $2, 'deleted', 'github', '', now())`,
      [tenant, sourceId],
    );
    facts.forEach((fact, n) => {
      fact.traceparent = `00-${String(n).repeat(32)}-${'2'.repeat(16)}-0${n % 2}`;
    });
    await project(api.postgres, facts);
    const [first = '', second = ''] = ids;
    await project(api.postgres, [
      fanOutFact({ tenant, eventId: first }, ['ep_a']),
      fanOutFact({ tenant, eventId: second }, ['ep_a', 'ep_b']),
      fanOutFact({ tenant, eventId: first }, ['ep_b'], 1),
      outcomeFact({ tenant, eventId: second }, 'ep_b', 1, 'dead_lettered'),
    ]);
  });

  test.each<[string, number[]]>([
    ['event_id=theirs_1', [1]],
    ['event_id=theirs_2', [2]],
    ['event_id=theirs_5', [5]],
    [`event_id=theirs_1&source_id=${sourceId}`, [1]],
    ['event_id=theirs_1&source_id=api', []],
    ['event_id=theirs_9', []],
    ['endpoint_id=ep_a', [1, 0]],
    ['endpoint_id=ep_b', [1, 0]],
    ['endpoint_id=ep_c', []],
    ['ordering_key=key_1', [5, 3, 1]],
    [`trace_id=${'3'.repeat(32)}`, [3]],
    [`trace_id=${'4'.repeat(32)}`, [4]],
    ['has=dead_letters', [1]],
    ['has=dead_letters&has=duplicates', []],
    ['has=dead_letters&endpoint_id=ep_a', [1]],
    ['status=received&ordering_key=key_0', [4, 2]],
    ['status=dead_lettered', []],
    ['status=processing', [1, 0]],
    ['type=order.paid&source_id=api', [5, 4, 3]],
    [`received_since=${formatMicros((startMs + 4) * 1_000)}`, [5, 4]],
    [`received_until=${formatMicros((startMs + 4) * 1_000)}&ordering_key=key_0`, [2, 0]],
    [`received_since=${formatMicros((startMs + 4) * 1_000 + 1)}`, [5]],
  ])('by %s', async (query, expected) => {
    const found = expected.map((n) => ids[n]);
    expect(shown(await walk(tenant, `/v1/events?order=desc&limit=2&${query}`))).toEqual(found);
    // In the order of changes, the same ones.
    expect(shown(await walk(tenant, `/v1/events?limit=2&${query}`)).sort()).toEqual(found.toSorted());
    expect(shown(await walk(newTenant(), `/v1/events?order=desc&${query}`))).toEqual([]);
  });
});
