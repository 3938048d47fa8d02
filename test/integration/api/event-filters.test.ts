/** Lists are filtered by SQL, held requests in memory or by another statement: by each filter, both take the same events. */
import { createNewEventsReader } from '../../../services/api/polling/read-new-events.ts';
import { readEvents } from '../../../services/api/resources/event.ts';
import { type EventFilter, type EventFilterName, eventFilters } from '../../../services/api/resources/event-filters.ts';
import { duplicateFact, eventFact, fanOutFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { openPollingApi, type PollingApi } from './polling-api.ts';

let api: PollingApi;
const tenant = 'filtered';
const ids = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id);
const listed = async (filter: EventFilter) => ids((await readEvents(api.postgres, tenant, filter, 1_000)).events);

beforeAll(async () => {
  api = await openPollingApi({ maxHeldPerCredential: 20 });
  for (const n of [1, 2, 3, 4])
    await project(api.postgres, [
      eventFact({ tenant, eventId: `evt_${n}` }, { type: n % 2 === 0 ? 'even' : 'odd', source_id: `src_${n % 3}` }),
    ]);
  await project(api.postgres, [
    fanOutFact({ tenant, eventId: 'evt_2' }, []),
    duplicateFact({ tenant, eventId: 'evt_1' }, { origin: 'again' }),
    eventFact({ tenant: 'other', eventId: 'evt_9' }, { type: 'odd' }),
  ]);
});
afterAll(() => api.close());

/** Values of each filter; those of `updated_at_gte` are the events' own. */
const values: Record<Exclude<EventFilterName, 'updated_at_gte'>, string[]> = {
  status: ['received', 'completed', 'dead_lettered'],
  type: ['even', 'odd', 'none'],
  source_id: ['src_0', 'src_1', 'none'],
  receipt_id: ['rcp_of_again', 'rcp_evt_3', 'none'],
};

test('by each filter, a list and a held request take the same events', async () => {
  const { events } = await readEvents(api.postgres, tenant, {}, 1_000);
  const instants = events.map(({ updated_at }) => updated_at);
  const valuesOf = { ...values, updated_at_gte: instants };
  const filters = Object.keys(eventFilters).flatMap((name) =>
    valuesOf[name as EventFilterName].map((value): EventFilter => ({ [name]: value })),
  );
  filters.push({ type: 'odd', receipt_id: 'rcp_of_again' }, { type: 'even', receipt_id: 'rcp_of_again' });
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
