import { createWorld, type World } from './world.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('the dispatcher’s lanes', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('lanes');
    await world.startProjector();
  });
  afterEach(async () => {
    await world?.stop();
    expect(world?.failures).toEqual([]);
  });

  it('let no endpoint be held up by one that hangs', async () => {
    await world.addEndpoint('hanging', { timeout_ms: 15_000, max_in_flight: 2 });
    const healthy = await world.addEndpoint('healthy');
    world.receiver.react(({ name }) => (name === 'hanging' ? 'hang' : { status: 200 }));
    await world.startDispatcher();
    const startedAtMs = performance.now();
    await world.publish(100);
    await waitUntil('the healthy endpoint has all', () => world.arrivalsOf(healthy).length === 100, {
      timeoutMs: 20_000,
    });
    // One time-out of the other has not passed, and it has a hundred of its own to come to.
    expect(performance.now() - startedAtMs).toBeLessThan(15_000);
  });

  it('park what they have no room for, and send it once there is', async () => {
    const slow = await world.addEndpoint('slow', { max_in_flight: 1 });
    world.receiver.react(() => ({ status: 200, delayMs: 20 }));
    await world.startDispatcher({ HOOKLINE_DISPATCHER_LANE_RECORDS: '2' });
    await world.publish(60);
    const ended = await world.ended(60);
    expect(ended.every(({ status, attempts }) => status === 'delivered' && attempts === 1)).toBe(true);
    expect(ended.filter(({ step }) => step > 1).length).toBeGreaterThan(20);
    expect(world.arrivalsOf(slow)).toHaveLength(60);
    expect(await world.postgres.query('SELECT FROM waiting')).toEqual([]);
  });

  it('repeat nothing when the process is stopped in order, whatever was queued', async () => {
    const endpoints = [
      await world.addEndpoint('one', { max_in_flight: 2 }),
      await world.addEndpoint('two', { max_in_flight: 2 }),
    ];
    world.receiver.react(() => ({ status: 200, delayMs: 20 }));
    const first = await world.startDispatcher();
    await world.publish(80);
    await waitUntil('some have arrived', () => world.receiver.arrivals.length > 30, { everyMs: 5 });
    await first.stop();
    const arrivedBefore = world.receiver.arrivals.length;
    expect(arrivedBefore).toBeLessThan(160);
    await world.startDispatcher();
    await world.ended(160);
    for (const endpoint of endpoints) expect(world.arrivalsOf(endpoint)).toHaveLength(80);
  });

  it('go to another process without a loss when the group is rebalanced', async () => {
    const endpoints = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => world.addEndpoint(name, { max_in_flight: 1 })),
    );
    world.receiver.react(({ attempt }) => ({ status: attempt === 1 ? 500 : 200, delayMs: 10 }));
    const first = await world.startDispatcher();
    const events = await world.publish(30);
    await waitUntil('some have arrived', () => world.receiver.arrivals.length > 20, { everyMs: 5 });
    await world.startDispatcher();
    await first.stop();
    await world.ended(180);
    for (const endpoint of endpoints) {
      const arrived = new Set(world.arrivalsOf(endpoint).map(({ eventId }) => eventId));
      expect(arrived).toEqual(new Set(events.map(({ id }) => id)));
    }
  });
});
