import type { EventRecord } from '#lib/contract';
import { createWorld, type TestEndpoint, type World } from './world.ts';
import { waitUntil, within } from '../../support/wait-until.ts';

const soon = { base_seconds: 0.05, cap_seconds: 0.2 };
const inAnHour = { base_seconds: 3_600, cap_seconds: 3_600 };

describe('an endpoint that is ordered', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('ordered');
    await world.startProjector();
  });
  afterEach(async () => {
    await world?.stop();
    expect(world?.failures).toEqual([]);
  });

  /** Publishes events of so many keys, turn by turn. */
  const publish = (count: number, keys: number): Promise<EventRecord[]> =>
    world.publish(count, undefined, undefined, (index) => `customer-${index % keys}`);

  const ofKey = (events: EventRecord[], key: number): EventRecord[] =>
    events.filter(({ ordering_key }) => ordering_key === `customer-${key}`);

  /** Arrivals that came though one before them in their order had not been taken yet. */
  function arrivedTooEarly(endpoint: TestEndpoint, events: EventRecord[]): string[] {
    const before = new Map(
      events.map(({ id, ordering_key }, at) => [
        id,
        events.slice(0, at).filter((one) => one.ordering_key === ordering_key),
      ]),
    );
    const taken = new Set<string>();
    return world.arrivalsOf(endpoint).flatMap(({ eventId, answered }) => {
      const missing = before.get(eventId)?.filter(({ id }) => !taken.has(id)) ?? [];
      if (answered === 200) taken.add(eventId);
      return missing.map(({ id }) => `${eventId} before ${id}`);
    });
  }

  const arrivedAt = (endpoint: TestEndpoint): string[] => world.arrivalsOf(endpoint).map(({ eventId }) => eventId);

  const nothingWaits = (): Promise<true> =>
    waitUntil('no row waits', async () => (await world.postgres.query('SELECT FROM waiting')).length === 0);

  it('gets the events of each key in their order, however often some have to be sent', async () => {
    const endpoint = await world.addEndpoint('ordered', { ordered: true, retry: soon });
    const other = await world.addEndpoint('other', { retry: soon });
    const events = await publish(50, 5);
    const failing = new Set(events.filter((_, at) => at < 5 || at % 7 === 0).map(({ id }) => id));
    world.receiver.react(({ eventId, attempt }) => ({ status: failing.has(eventId) && attempt < 4 ? 500 : 200 }));
    await world.startDispatcher();
    const ended = await world.ended(100);
    expect(ended.every(({ status }) => status === 'delivered')).toBe(true);
    expect(arrivedTooEarly(endpoint, events)).toEqual([]);
    // The check can fail: the other endpoint does not keep the order.
    expect(arrivedTooEarly(other, events)).not.toEqual([]);
    expect(world.arrivalsOf(endpoint)).toHaveLength(50 + 3 * failing.size);
    await nothingWaits();
  });

  it('is sent nothing of a key whose first fails, and all of the others', async () => {
    const endpoint = await world.addEndpoint('ordered', { ordered: true, retry: inAnHour });
    const events = await publish(9, 3);
    world.receiver.react(({ eventId }) => ({ status: eventId === events[0]?.id ? 500 : 200 }));
    await world.startDispatcher();
    await world.standing('parked', 2);
    await world.ended(6);
    const others = [...ofKey(events, 1), ...ofKey(events, 2)].map(({ id }) => id);
    expect(arrivedAt(endpoint).sort()).toEqual([events[0]?.id ?? '', ...others].sort());
    // Later events have to wait behind them.
    const later = await publish(3, 3);
    await world.standing('parked', 3);
    await world.ended(8);
    expect(arrivedAt(endpoint)).not.toContain(later[0]?.id);
  });

  it('goes on with the next of a key when one that waits is cancelled, wherever it stands', async () => {
    const endpoint = await world.addEndpoint('ordered', { ordered: true, retry: inAnHour });
    const events = await publish(4, 1);
    world.receiver.react(({ eventId }) => ({ status: eventId === events[0]?.id ? 500 : 200 }));
    await world.startDispatcher();
    await world.standing('parked', 3);
    const cancel = (at: number) =>
      world.postgres.query('UPDATE deliveries SET cancel_requested = true WHERE event_id = $1', [events[at]?.id]);
    await cancel(1);
    await world.standing('cancelled', 1);
    expect(arrivedAt(endpoint)).toEqual([events[0]?.id]);
    await cancel(0);
    const ended = await world.ended(4);
    const endOf = (at: number) => ended.find(({ event_id }) => event_id === events[at]?.id);
    for (const at of [0, 1]) expect(endOf(at)).toMatchObject({ status: 'cancelled', detail: 'cancelled_by_request' });
    expect(arrivedAt(endpoint)).toEqual([0, 2, 3].map((at) => events[at]?.id));
    await nothingWaits();
  });

  it('keeps its order when the process is stopped while some wait, and another goes on', async () => {
    const endpoint = await world.addEndpoint('ordered', { ordered: true, retry: { base_seconds: 1, cap_seconds: 1 } });
    let isUp = false;
    world.receiver.react(() => ({ status: isUp ? 200 : 500 }));
    const first = await world.startDispatcher();
    const events = await publish(30, 3);
    await world.standing('parked', 27);
    await first.stop();
    const later = await publish(15, 3);
    isUp = true;
    await world.startDispatcher();
    await world.ended(45);
    expect(arrivedTooEarly(endpoint, [...events, ...later])).toEqual([]);
    // A delivery that was accepted is not repeated.
    expect(world.arrivalsOf(endpoint).filter(({ answered }) => answered === 200)).toHaveLength(45);
    await nothingWaits();
  });

  it('keeps its order when its partition goes to another process', async () => {
    const endpoints = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => world.addEndpoint(name, { ordered: true, retry: soon })),
    );
    world.receiver.react(({ attempt }) => ({ status: attempt === 1 ? 500 : 200, delayMs: 10 }));
    const first = await world.startDispatcher();
    const events = await publish(40, 4);
    await waitUntil('some have arrived', () => world.receiver.arrivals.length > 40, { everyMs: 5 });
    await world.startDispatcher();
    await first.stop();
    await world.ended(160);
    for (const endpoint of endpoints) {
      expect(arrivedTooEarly(endpoint, events)).toEqual([]);
      expect(new Set(arrivedAt(endpoint)).size).toBe(40);
    }
    await nothingWaits();
  });

  it('keeps its order when the process is killed between an outcome and what follows from it', async () => {
    const endpoint = await world.addEndpoint('ordered', { ordered: true, retry: soon });
    world.receiver.react(({ attempt }) => ({ status: attempt < 3 ? 500 : 200 }));
    const events = await publish(40, 4);
    const armed = await world.spawnService('dispatcher', { HOOKLINE_CRASH_POINT: 'dispatcher.after-outcome@60' });
    const exit = await within('the process dies', 60_000, armed.exited);
    expect(exit).toMatchObject({ signal: 'SIGKILL', killedByTest: false });
    await world.startDispatcher();
    await world.ended(40);
    expect(arrivedTooEarly(endpoint, events)).toEqual([]);
    await nothingWaits();
  });
});
