import { createManualClock } from '#lib/runtime';

describe('the manual clock', () => {
  test('wakes sleepers in the order of their times, each at its own time', async () => {
    const clock = createManualClock(0);
    const woken: [string, number][] = [];
    for (const [name, ms] of [
      ['late', 30],
      ['early', 10],
    ] as const) {
      void clock.sleep(ms).then(() => woken.push([name, clock.nowMs()]));
    }
    await clock.advance(20);
    expect(woken).toEqual([['early', 10]]);
    await clock.advance(20);
    expect(woken).toEqual([
      ['early', 10],
      ['late', 30],
    ]);
    expect(clock.nowMs()).toBe(40);
  });

  test('an aborted sleep ends at once', async () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const sleeping = clock.sleep(1_000_000, abort.signal);
    abort.abort();
    await sleeping;
    await clock.sleep(1_000_000, abort.signal);
  });
});
