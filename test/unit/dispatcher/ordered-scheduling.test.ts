import { createWorld } from './scheduler-world.ts';

const acme = (id: string) => ({ tenant: 'acme', id });

describe('the scheduler, of what is in an order', () => {
  it('sends one of a key after the other, and others of the endpoint meanwhile', async () => {
    const { offerInOrder, offer, started, end } = createWorld({ maxInFlight: 10 });
    for (const [id, at] of [
      ['a1', 1],
      ['a2', 2],
      ['a3', 3],
    ] as const)
      offerInOrder(id, at, 'a');
    offerInOrder('b1', 4, 'b');
    offer('free');
    expect(started).toEqual(['a1', 'b1', 'free']);
    await end('a1');
    expect(started).toEqual(['a1', 'b1', 'free', 'a2']);
  });

  it('parks what is queued behind one that waits, lets its rows stand, and leaves other keys alone', async () => {
    const { scheduler, offerInOrder, offerRowInOrder, started, parked, end } = createWorld({ maxInFlight: 10 });
    offerInOrder('a1', 1, 'a');
    offerRowInOrder('a2, a row', 2, 'a');
    offerInOrder('a3', 3, 'a');
    offerInOrder('b1', 4, 'b');
    offerInOrder('b2', 5, 'b');
    await end('a1', 'failed');
    expect(parked).toEqual(['a3']);
    expect(scheduler.held(acme('a2, a row'))).toBeUndefined();
    await end('b1');
    expect(started).toEqual(['a1', 'b1', 'b2']);
  });

  it('refuses what comes for a key, fresh or as a row, while one of it is being parked: it has to follow', async () => {
    const { offerInOrder, offerRowInOrder, parked, end, holdParks, endPark } = createWorld({ maxInFlight: 10 });
    holdParks();
    offerInOrder('a1', 1, 'a');
    offerInOrder('a2', 2, 'a');
    offerInOrder('a3', 3, 'a');
    await end('a1', 'failed');
    expect(parked).toEqual(['a2', 'a3']);
    expect([offerInOrder('a4', 4, 'a'), offerRowInOrder('a5', 5, 'a')]).toEqual(['full', 'full']);
    expect([offerInOrder('b1', 6, 'b'), offerRowInOrder('b2', 7, 'b')]).toEqual(['queued', 'queued']);
    await endPark('a2');
    expect(offerInOrder('a4', 4, 'a')).toBe('full');
    await endPark('a3');
    expect(offerInOrder('a4', 4, 'a')).toBe('queued');
  });

  it('parks what has stood for 30 s behind one that hangs, and sends nothing of the key meanwhile', async () => {
    const { scheduler, clock, offerInOrder, started, parked } = createWorld({ maxInFlight: 10 });
    await scheduler.start();
    offerInOrder('hangs', 1);
    offerInOrder('late', 2);
    await clock.advance(20_000);
    offerInOrder('behind it', 3);
    await clock.advance(11_000);
    expect(parked).toEqual(['late', 'behind it']);
    expect(started).toEqual(['hangs']);
  });

  it('parks at its stop what stands behind one in flight, whatever comes of that', async () => {
    const { scheduler, offerInOrder, started, parked, end } = createWorld({ maxInFlight: 10 });
    await scheduler.start();
    offerInOrder('a1', 1);
    offerInOrder('a2', 2);
    offerInOrder('a3', 3);
    const stopped = scheduler.stop();
    await end('a1');
    await stopped;
    expect([started, parked.sort()]).toEqual([['a1'], ['a2', 'a3']]);
  });

  describe('where another process may have the partition', () => {
    it('sends nothing of a lane that is in an order until it is sure again, and goes on elsewhere', async () => {
      const { clock, world, offerInOrder, offer, started } = createWorld({ maxInFlight: 10 });
      world.holdsMembership = false;
      offerInOrder('a1', 1);
      offer('of another endpoint', 'ep_2');
      await clock.advance(60_000);
      expect(started).toEqual(['of another endpoint']);
      world.holdsMembership = true;
      await clock.advance(100);
      expect(started).toEqual(['of another endpoint', 'a1']);
    });

    it('does not send the next of a key, though the one before has ended', async () => {
      const { clock, world, offerInOrder, started, end } = createWorld({ maxInFlight: 10 });
      offerInOrder('a1', 1);
      offerInOrder('a2', 2);
      world.holdsMembership = false;
      await end('a1');
      await clock.advance(1_000);
      expect(started).toEqual(['a1']);
      world.holdsMembership = true;
      await clock.advance(100);
      expect(started).toEqual(['a1', 'a2']);
    });

    it('does not send what was in line for a place until then, and lets others pass', async () => {
      const { clock, world, offerInOrder, offer, started, end } = createWorld({ inFlight: 1 });
      offer('in flight', 'ep_2');
      offerInOrder('a1', 1);
      offer('behind it in line', 'ep_3');
      world.holdsMembership = false;
      await end('in flight');
      expect(started).toEqual(['in flight', 'behind it in line']);
      await end('behind it in line');
      world.holdsMembership = true;
      await clock.advance(100);
      expect(started.at(-1)).toBe('a1');
    });

    it('does not send what has waited for a permit until then', async () => {
      const pace = { perSecond: 10, burst: 10 };
      const { clock, world, offerInOrder, started, permits } = createWorld({ maxInFlight: 10, pace });
      offerInOrder('a1', 1);
      expect(permits.asked).toHaveLength(1);
      // Before the answer is here.
      world.holdsMembership = false;
      await clock.advance(1_000);
      expect(started).toEqual([]);
      world.holdsMembership = true;
      await clock.advance(100);
      expect(started).toEqual(['a1']);
    });
  });
});
