/** Lists are filtered by SQL, held requests in memory or by another statement: by each filter, both take the same events. */
import { dedupKeyOf } from '#lib/dedup-store';
import { createId, formatMicros } from '#lib/runtime';
import { type EventFilter, type EventFilterName, eventFilters } from '../../../services/api/events/filters.ts';
import { createNewEventsReader } from '../../../services/api/events/polling/read-new-events.ts';
import { readEvents } from '../../../services/api/events/queries.ts';
import { duplicateFact, eventFact, fanOutFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { openPollingApi, type PollingApi } from './polling-api.ts';

let api: PollingApi;
const tenant = 'filtered';
const ids = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id);
const receivedAt = (n: number): number => startAt + n * 1_000_000;
/** Has the time of its receipt, as ids have. */
const idOf = (n: number): string => createId('evt', receivedAt(n) / 1_000, (size) => Buffer.alloc(size));
const keyOf = (n: number): Buffer => dedupKeyOf(tenant, `src_${n % 3}`, { kind: 'text', text: `their ${idOf(n)}` });
const traceOf = (n: number): string => String(n).repeat(32);
const listed = async (filter: EventFilter) => ids((await readEvents(api.postgres, tenant, filter, 1_000)).events);

beforeAll(async () => {
  api = await openPollingApi({ maxHeldPerCredential: 20 });
  await api.postgres.query(
    `INSERT INTO sources (tenant, id, name, scheme, secrets)
     SELECT $1, 'src_' || n, 'source', 'github', '' FROM generate_series(0, 2) AS n`,
    [tenant],
  );
  for (const n of [1, 2, 3, 4])
    await project(api.postgres, [
      {
        ...eventFact(
          { tenant, eventId: idOf(n) },
          {
            type: n % 2 === 0 ? 'even' : 'odd',
            source_id: `src_${n % 3}`,
            received_at: receivedAt(n),
            dedup_key: keyOf(n),
            ordering_key: n % 2 === 0 ? `key_${n}` : null,
            tags: n === 4 ? {} : { n: String(n), of: 'all', ...(n === 2 && { url: 'https://a:1/' }) },
          },
        ),
        traceparent: `00-${traceOf(n)}-${'2'.repeat(16)}-00`,
      },
    ]);
  await project(api.postgres, [
    fanOutFact({ tenant, eventId: idOf(2) }, []),
    duplicateFact({ tenant, eventId: idOf(1) }, { origin: 'again', key: keyOf(1) }),
    duplicateFact({ tenant, eventId: idOf(3) }, { origin: 'changed', payload: 'another', key: keyOf(3) }),
    fanOutFact({ tenant, eventId: idOf(3) }, ['ep_1', 'ep_2']),
    fanOutFact({ tenant, eventId: idOf(4) }, ['ep_2']),
    outcomeFact({ tenant, eventId: idOf(3) }, 'ep_1', 1, 'dead_lettered'),
    eventFact({ tenant: 'other', eventId: idOf(9) }, { type: 'odd', tags: { n: '1', of: 'all' } }),
  ]);
});
afterAll(() => api.close());

/** Values of each filter; those of `updated_at_gte` are the events' own. */
const values: Record<Exclude<EventFilterName, 'updated_at_gte'>, string[]> = {
  tag: ['n:1', 'of:all', 'url:https://a:1/', 'n:none', 'none:1'],
  status: ['received', 'completed', 'dead_lettered'],
  type: ['even', 'odd', 'none'],
  source_id: ['src_0', 'src_1', 'none'],
  receipt_id: ['rcp_of_again', `rcp_${idOf(3)}`, 'none'],
  event_id: [`their ${idOf(2)}`, 'none'],
  endpoint_id: ['ep_1', 'ep_2', 'none'],
  ordering_key: ['key_4', 'none'],
  trace_id: [traceOf(3), 'none'],
  received_since: [formatMicros(receivedAt(2)), formatMicros(receivedAt(9))],
  received_until: [formatMicros(receivedAt(2)), formatMicros(receivedAt(9))],
  has: ['duplicates', 'changed', 'dead_letters'],
};

test('by each filter, a list and a held request take the same events', async () => {
  const { events } = await readEvents(api.postgres, tenant, {}, 1_000);
  const instants = events.map(({ updated_at }) => updated_at);
  const valuesOf = { ...values, updated_at_gte: instants };
  const filters = Object.keys(eventFilters).flatMap((name) =>
    valuesOf[name as EventFilterName].map((value): EventFilter => ({
      [name]: ['has', 'tag'].includes(name) ? [value] : value,
    })),
  );
  filters.push({ tag: ['n:2', 'of:all'] }, { tag: ['n:1', 'n:2'] });
  filters.push({ type: 'odd', receipt_id: 'rcp_of_again' }, { type: 'even', receipt_id: 'rcp_of_again' });
  filters.push({ has: ['duplicates', 'changed'] }, { has: ['changed', 'dead_letters'], endpoint_id: 'ep_2' });
  const read = await createNewEventsReader(api.postgres)(tenant, instants[0] ?? '', filters);
  const takers = new Set<string>();
  for (const filter of filters) {
    const expected = await listed(filter);
    expect([filter, ids(read.events.filter(read.matcherOf(filter)))]).toEqual([filter, expected]);
    if (expected.length > 0 && expected.length < events.length)
      for (const name of Object.keys(filter)) takers.add(name);
  }
  // Each has chosen some of them, and left some out.
  expect([...takers].sort()).toEqual(Object.keys(eventFilters).sort());
});

test('several tags are those of one event, and a text that is no tag is refused', async () => {
  const ask = (query: string) => api.ask({ path: `/v1/events?${query}`, tenant });
  expect(ids(await found('tag=of:all&tag=n:2'))).toEqual([idOf(2)]);
  expect(await found('tag=n:1&tag=n:2')).toEqual([]);
  expect(await found('tag=url:https://a:1/')).toHaveLength(1);
  for (const query of ['tag=', 'tag=a', 'tag=:b', 'tag=a:', 'tag=a%00:b', 'tag=n:1&tag=b'])
    expect([query, (await ask(query)).status]).toEqual([query, 400]);
  async function found(query: string): Promise<{ id: string }[]> {
    const answer = await ask(query);
    expect([query, answer.status]).toEqual([query, 200]);
    return answer.json<{ id: string }[]>();
  }
});
