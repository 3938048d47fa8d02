import { createManualClock } from '#lib/runtime';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import { aDelivery } from './fixtures.ts';

const minuteMs = 60_000;

describe('the memory of recent steps', () => {
  it('knows a step and those below it, not those above', () => {
    const recent = createRecentSteps(createManualClock());
    recent.remember(aDelivery(), 3, 'retrying');
    expect([1, 2, 3, 4].map((step) => recent.has(aDelivery(), step))).toEqual([true, true, true, false]);
    expect(recent.has(aDelivery({ tenant: 'other' }), 1)).toBe(false);
    recent.remember(aDelivery(), 2, 'retrying');
    expect(recent.has(aDelivery(), 3)).toBe(true);
  });

  it('takes a delivery that has ended for past every step, whichever step that was, and no later one for its going on', () => {
    const recent = createRecentSteps(createManualClock());
    recent.remember(aDelivery(), 3, 'retrying');
    expect(recent.endOf(aDelivery())).toBeUndefined();
    recent.remember(aDelivery(), 1, 'delivered');
    expect(recent.endOf(aDelivery())).toMatchObject({ step: 1, status: 'delivered' });
    recent.remember(aDelivery(), 4, 'retrying');
    recent.remember(aDelivery(), 5, 'dead_lettered');
    expect(recent.endOf(aDelivery())).toMatchObject({ step: 1, status: 'delivered' });
    expect(recent.has(aDelivery(), 9)).toBe(true);
  });

  it('forgets after ten minutes', async () => {
    const clock = createManualClock();
    const recent = createRecentSteps(clock);
    recent.remember(aDelivery(), 1, 'parked');
    await clock.advance(10 * minuteMs - 1);
    expect(recent.has(aDelivery(), 1)).toBe(true);
    await clock.advance(1);
    expect(recent.has(aDelivery(), 1)).toBe(false);
  });

  it('keeps the newest hundred thousand, and forgets the oldest a thousand at a time', () => {
    const recent = createRecentSteps(createManualClock());
    for (let number = 0; number < 101_000; number += 1)
      recent.remember(aDelivery({ id: `dlv_${number}` }), 1, 'parked');
    const has = (number: number): boolean => recent.has(aDelivery({ id: `dlv_${number}` }), 1);
    expect([0, 999, 1000, 100_999].map(has)).toEqual([false, false, true, true]);
  });
});
