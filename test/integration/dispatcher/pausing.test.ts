/** An endpoint that is paused, as the API writes it, over an outage, on real servers. */
import type { StoredPause } from '#lib/contract';
import { formatMicros } from '#lib/runtime';
import { beginPause, endPause } from '../../../services/api/endpoints/pauses.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createWorld, type TestEndpoint, type World } from './world.ts';

describe('a paused endpoint', () => {
  let world: World;
  let isDown = false;
  beforeEach(async () => {
    isDown = false;
    world = await createWorld('pausing');
    await world.startProjector();
    world.receiver.react(({ name }) => ({ status: isDown && name !== 'other' ? 500 : 200 }));
  });
  afterEach(async () => {
    await world?.stop();
    expect(world?.failures).toEqual([]);
  });

  const pauseNow = (endpoint: TestEndpoint, forMs = 3_600_000) =>
    world.postgres.transaction(async (tx) => {
      const named = { tenant: 'acme', id: endpoint.id };
      expect(
        await beginPause(tx, named, await pausesOf(endpoint), formatMicros((Date.now() + forMs) * 1_000)),
      ).not.toHaveProperty('message');
    });
  const resumeNow = (endpoint: TestEndpoint) =>
    world.postgres.transaction(async (tx) => {
      await endPause(tx, { tenant: 'acme', id: endpoint.id }, await pausesOf(endpoint));
    });
  const pausesOf = async ({ id }: TestEndpoint): Promise<StoredPause[]> =>
    (await world.postgres.query<{ pauses: StoredPause[] }>('SELECT pauses FROM endpoints WHERE id = $1', [id]))[0]
      ?.pauses ?? [];
  const of = async (endpoint: TestEndpoint) =>
    (await world.deliveries()).filter((row) => row.endpoint_id === endpoint.id);

  it('gets nothing, also after an outage, loses nothing, and gets all after it, an ordered one in order', async () => {
    const [paused, ordered, other] = [
      await world.addEndpoint('paused', { retry: { base_seconds: 1, cap_seconds: 1 } }),
      await world.addEndpoint('ordered', { ordered: true, retry: { base_seconds: 1, cap_seconds: 1 } }),
      await world.addEndpoint('other'),
    ];
    const sentToPaused = (): number => [paused, ordered].reduce((sum, each) => sum + world.arrivalsOf(each).length, 0);
    await world.startDispatcher();
    isDown = true;
    const keyOf = (): string => 'one key';
    const publish = (count: number) => world.publish(count, undefined, 'src_1', keyOf);
    const before = await publish(4);
    await waitUntil(
      'all have failed once',
      async () => (await of(paused)).every(({ attempts }) => attempts > 0) && (await of(paused)).length === 4,
    );
    await pauseNow(paused);
    await pauseNow(ordered);
    isDown = false;
    // In force within five seconds: from then on, what is sent to the other is sent, and to these nothing is.
    await waitUntil(
      'it is in force',
      async () => {
        const [sent, toOther] = [sentToPaused(), world.arrivalsOf(other).length];
        await publish(1);
        await waitUntil('the other has it', () => world.arrivalsOf(other).length > toOther, { timeoutMs: 20_000 });
        return sent === sentToPaused() && (await of(paused)).some(({ status }) => status === 'parked');
      },
      { timeoutMs: 20_000, everyMs: 1_000 },
    );
    const sentBefore = sentToPaused();
    const during = await publish(10);
    await waitUntil(
      'they wait',
      async () =>
        (await of(paused)).filter(
          ({ status, event_id: id }) => status === 'parked' && during.some((event) => event.id === id),
        ).length === 10,
    );
    expect(sentToPaused()).toBe(sentBefore);

    await resumeNow(paused);
    await resumeNow(ordered);
    await waitUntil('all are delivered', async () => {
      const rows = [...(await of(paused)), ...(await of(ordered))];
      return rows.length > 0 && rows.every(({ status }) => status === 'delivered');
    });
    const arrived = new Set(world.arrivalsOf(paused).map(({ eventId }) => eventId));
    expect([...before, ...during].filter(({ id }) => !arrived.has(id))).toEqual([]);
    const taken = world
      .arrivalsOf(ordered)
      .filter(({ answered }) => answered === 200)
      .map(({ eventId }) => eventId);
    expect(taken.filter((id) => during.some((event) => event.id === id))).toEqual(during.map(({ id }) => id));
  });

  it('has the deadlines of its deliveries moved by exactly the time of the pause', async () => {
    const windowMs = 4_000;
    const endpoint = await world.addEndpoint('late', {
      retry: { base_seconds: 1, cap_seconds: 1, window_seconds: windowMs / 1_000 },
    });
    await world.startDispatcher();
    isDown = true;
    await world.publish(1);
    await waitUntil('it has failed once', async () => (await of(endpoint))[0]?.attempts === 1);
    await pauseNow(endpoint, 8_000);
    const [row] = await world.ended(1);
    const [{ from, until } = { from: '', until: '' }] = await pausesOf(endpoint);
    const { created, died } = await waitUntil(
      'its dead letter is kept',
      async () =>
        (
          await world.postgres.query<{ created: string; died: string }>(
            'SELECT d.created_at AS created, l.at AS died FROM deliveries d JOIN dead_letters l ON l.delivery_id = d.id',
          )
        )[0],
    );
    const attempts = await world.postgres.query<{ at: string }>('SELECT at FROM attempts ORDER BY step');
    const deadlineMs = Date.parse(created) + windowMs + Date.parse(until) - Date.parse(from);
    // These times are read in whole milliseconds.
    const cutOffMs = 3;
    expect(row?.status).toBe('dead_lettered');
    // The last attempt was due by the deadline, so the one before was made by then, however late the last was; after it the next would
    // have been due, a second later at the most, past the deadline.
    expect(Date.parse(attempts.at(-2)?.at ?? created)).toBeLessThanOrEqual(deadlineMs + cutOffMs);
    expect(Date.parse(died)).toBeGreaterThanOrEqual(deadlineMs - 1_000 - cutOffMs);
  });
});
