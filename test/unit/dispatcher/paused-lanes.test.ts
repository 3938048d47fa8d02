import { createWorld, numbered } from './scheduler-world.ts';

describe('the lane of a paused endpoint', () => {
  it('takes nothing, neither fresh deliveries nor rows, and goes on when the pause is over', () => {
    const { endpoint, offer, offerRow, started } = createWorld();
    endpoint.isPaused = true;
    expect([offer('fresh'), offerRow('row')]).toEqual(['full', 'full']);
    endpoint.isPaused = false;
    expect([offer('fresh'), offerRow('row')]).toEqual(['queued', 'queued']);
    expect(started).toEqual(['fresh', 'row']);
  });

  it('parks what was queued and releases its rows within a second; what is in flight ends as usual', async () => {
    const { endpoint, scheduler, clock, offer, offerRow, started, parked, end } = createWorld();
    await scheduler.start();
    for (const id of numbered('d', 4)) offer(id);
    offerRow('row');
    endpoint.isPaused = true;
    await end('d0');
    await clock.advance(1_000);
    expect([started, parked, scheduler.heldRows()]).toEqual([['d0', 'd1'], ['d2', 'd3'], []]);
    await end('d1');
    expect(started).toEqual(['d0', 'd1']);
    await scheduler.stop();
  });

  it('keeps nothing back once its endpoint is closed: its deliveries are ended', () => {
    const { endpoint, offer } = createWorld();
    Object.assign(endpoint, { isPaused: true, isClosed: true });
    expect(offer('d')).toBe('queued');
  });
});
