import { createWorld, type TestEndpoint, type World } from './world.ts';
import { waitUntil } from '../../support/wait-until.ts';

const hangingTimeoutMs = 8_000;
const slowForMs = 20_000;

/** The small form of test/bench/isolation. */
describe('endpoints that hang', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('isolation');
    await world.startProjector();
  });
  afterEach(async () => {
    await world?.stop();
    expect(world?.failures).toEqual([]);
  });

  it('with twice as many sends as there are places leave the others theirs, before the first time-out has told of them', async () => {
    const hanging = await addEndpoints('hanging', 10, { timeout_ms: hangingTimeoutMs });
    const healthy = await addEndpoints('healthy', 10);
    world.receiver.react(({ name }) => (name.startsWith('hanging') ? 'hang' : { status: 200 }));
    await world.startDispatcher({ HOOKLINE_DISPATCHER_MAX_IN_FLIGHT: '50' });
    await world.publish(10);
    const arrived = (endpoints: TestEndpoint[]) => endpoints.flatMap((endpoint) => world.arrivalsOf(endpoint));
    await waitUntil('the healthy have all', () => arrived(healthy).length === 100, { timeoutMs: 30_000, everyMs: 10 });
    const firstHangingAtMs = Math.min(...arrived(hanging).map(({ atMs }) => atMs));
    const lastHealthyAtMs = Math.max(...arrived(healthy).map(({ atMs }) => atMs));
    expect(lastHealthyAtMs - firstHangingAtMs).toBeLessThan(hangingTimeoutMs);
    expect(arrived(hanging).length).toBeLessThan(50);
  });

  it('of one tenant, or answer 200 after long, one send each and more of them than there are places, leave another tenant its own', async () => {
    const other = { tenant: 'other' };
    const slow = new Set((await addEndpoints('slow', 60, { timeout_ms: slowForMs + 10_000 })).map(({ id }) => id));
    const theirs = await addEndpoints('theirs', 3, {}, other);
    world.receiver.react(({ name }) => ({ status: 200, delayMs: name.startsWith('slow') ? slowForMs : 5 }));
    await world.startDispatcher({ HOOKLINE_DISPATCHER_MAX_IN_FLIGHT: '50' });
    await world.publish(2);
    const slowArrivals = (): number => world.receiver.arrivals.filter(({ endpointId }) => slow.has(endpointId)).length;
    // Four fifths of the places: none ends before all of what follows.
    await waitUntil('the slow have their places', () => slowArrivals() >= 40, { everyMs: 10 });
    const heldAtMs = performance.now();
    const events = await world.publish(30, undefined, undefined, undefined, other.tenant);
    const arrivals = () => theirs.flatMap((endpoint) => world.arrivalsOf(endpoint));
    await waitUntil('the others have all', () => arrivals().length === 90, { timeoutMs: 30_000, everyMs: 10 });
    expect(performance.now() - heldAtMs).toBeLessThan(slowForMs);
    expect(slowArrivals()).toBe(40);
    expect(new Set(arrivals().map(({ eventId }) => eventId))).toEqual(new Set(events.map(({ id }) => id)));
  });

  async function addEndpoints(name: string, count: number, settings = {}, more = {}): Promise<TestEndpoint[]> {
    return Promise.all(Array.from({ length: count }, (_, at) => world.addEndpoint(`${name}${at}`, settings, more)));
  }
});
