import { watchLoop } from '../../support/loop-delay.ts';
import { createWorld, type World } from './world.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('an endpoint', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('sick');
    await world.startProjector();
  });
  afterEach(async () => {
    await world?.stop();
    expect(world?.failures).toEqual([]);
  });

  it('that is down costs one write for each delivery, is probed, and gets all when it is back, the oldest first', async () => {
    const endpoint = await world.addEndpoint('down', { retry: { base_seconds: 1, cap_seconds: 2 } });
    let isDown = true;
    world.receiver.react(() => ({ status: isDown ? 500 : 200 }));
    const { metrics } = await world.startDispatcher();
    await world.publish(6);
    const isOpen = async (): Promise<boolean> =>
      (await metrics.metrics()).includes('hookline_endpoint_breaker_state{state="open"} 1');
    await waitUntil('its breaker is open', isOpen);

    const sendsBefore = world.arrivalsOf(endpoint).length;
    const late = await world.publish(50);
    await waitUntil('all that came since are parked', async () => {
      const rows = await world.deliveries();
      const ids = new Set(late.map(({ id }) => id));
      return rows.filter((row) => ids.has(row.event_id) && row.status === 'parked').length >= 45;
    });
    // Probes alone.
    expect(world.arrivalsOf(endpoint).length - sendsBefore).toBeLessThan(10);

    isDown = false;
    const ended = await world.ended(56);
    expect(ended.every(({ status }) => status === 'delivered')).toBe(true);
    await waitUntil('its breaker is closed', async () => !(await isOpen()));
  });

  it('is sent to no faster than its rate, nothing is dropped, and no other waits for it', async () => {
    const paced = await world.addEndpoint('paced', { rate_limit: { per_second: 10, burst: 5 } });
    const other = await world.addEndpoint('other');
    await world.startDispatcher();
    const loopDelay = watchLoop();
    await world.publish(60);
    await waitUntil('the other has all', () => world.arrivalsOf(other).length === 60, {
      timeoutMs: 30_000,
      everyMs: 10,
    });
    expect(world.arrivalsOf(paced).length).toBeLessThan(60);
    const ended = await world.ended(120);
    expect(ended.every(({ status, attempts }) => status === 'delivered' && attempts === 1)).toBe(true);
    const times = world.arrivalsOf(paced).map(({ atMs }) => atMs);
    expect(times).toHaveLength(60);
    // The bucket's own rule, in every window: the burst and what the rate brought, with a little for the way to the receiver, and what this
    // process, which sends and receives, stood still.
    const slackMs = 250 + loopDelay().max;
    for (let first = 0; first < times.length; first += 1)
      for (let last = first; last < times.length; last += 1) {
        const windowMs = (times[last] ?? 0) - (times[first] ?? 0) + slackMs;
        expect(last - first + 1).toBeLessThanOrEqual(5 + (windowMs / 1_000) * 10 + 1);
      }
  });
});
