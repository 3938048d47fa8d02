import { createWorld, type TestEndpoint, type World } from './world.ts';
import { waitUntil } from '../../support/wait-until.ts';

const hangingTimeoutMs = 8_000;

/** The small form of test/bench/isolation. */
describe('endpoints that hang', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('isolation');
    await world.startProjector();
  }, 60_000);
  afterEach(async () => {
    await world?.stop();
    expect(world?.failures).toEqual([]);
  }, 60_000);

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
  }, 60_000);

  async function addEndpoints(name: string, count: number, settings = {}): Promise<TestEndpoint[]> {
    return Promise.all(Array.from({ length: count }, (_, at) => world.addEndpoint(`${name}${at}`, settings)));
  }
});
