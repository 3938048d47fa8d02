/** The effects of a replay's generation on an event that has ended. */
import type { Postgres } from '#lib/postgres';
import { eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, project } from './projection.ts';

let postgres: Postgres;
let tenants = 0;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => closePostgres(postgres));

const eventId = 'evt_1';

/** One endpoint took it, the other did not. */
async function endedEvent() {
  const named = { tenant: `r${(tenants += 1)}`, eventId };
  await project(postgres, [
    eventFact(named, { origin: 'r-0-1' }),
    fanOutFact(named, ['ep_a', 'ep_b']),
    outcomeFact(named, 'ep_a', 1, 'dead_lettered'),
    outcomeFact(named, 'ep_b', 1, 'delivered'),
  ]);
  const read = async () => {
    const [row] = await postgres.query<{ updated_at: string; [column: string]: unknown }>(
      'SELECT status, generation, pending, delivered, dead_lettered, updated_at FROM events WHERE tenant = $1',
      [named.tenant],
    );
    const { updated_at: updatedAt, ...rest } = row ?? { updated_at: '' };
    return { updatedAt, rest };
  };
  return { named, read };
}

const dead = { status: 'dead_lettered', generation: 0, pending: 0, delivered: 1, dead_lettered: 1 };

test('it goes back to processing, and ends by the newest delivery of each endpoint', async () => {
  const { named, read } = await endedEvent();
  const before = await read();
  expect(before.rest).toEqual(dead);

  await project(postgres, [fanOutFact(named, ['ep_a'], 1)]);
  const open = await read();
  expect(open.rest).toEqual({ status: 'processing', generation: 1, pending: 1, delivered: 1, dead_lettered: 0 });
  expect(open.updatedAt > before.updatedAt).toBe(true);

  await project(postgres, [outcomeFact(named, 'ep_a', 1, 'delivered', { generation: 1 })]);
  expect((await read()).rest).toEqual({
    status: 'completed',
    generation: 1,
    pending: 0,
    delivered: 2,
    dead_lettered: 0,
  });
});

test('it dies again where its newest delivery does, whatever came of an older one in the meantime', async () => {
  const { named, read } = await endedEvent();
  await project(postgres, [outcomeFact(named, 'ep_a', 1, 'dead_lettered', { generation: 2 })]);
  await project(postgres, [fanOutFact(named, ['ep_a'], 2), fanOutFact(named, ['ep_a'], 1)]);
  await project(postgres, [outcomeFact(named, 'ep_a', 1, 'delivered', { generation: 1 })]);
  expect((await read()).rest).toEqual({ ...dead, generation: 2 });
});

test('mutant: a replay whose generation is not raised changes nothing, and the event stays as it died', async () => {
  const { named, read } = await endedEvent();
  await project(postgres, [fanOutFact(named, ['ep_a'], 0), outcomeFact(named, 'ep_a', 2, 'delivered')]);
  expect((await read()).rest).toEqual(dead);
});
