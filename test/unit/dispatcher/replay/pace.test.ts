import fc from 'fast-check';
import { createManualClock } from '#lib/runtime';
import { createPace } from '../../../../services/dispatcher/replay/pace.ts';

const never = new AbortController().signal;

test('in any time no more go than the rate has for it, and one turn; however long each turn takes', async () => {
  const rates = fc.double({ min: 0.05, max: 5_000, noNaN: true });
  await fc.assert(
    fc.asyncProperty(
      rates,
      fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 2, maxLength: 30 }),
      async (rate, workMs) => {
        const clock = createManualClock(0);
        const pace = createPace(rate, 25, clock);
        const turns: number[] = [];
        let over = false;
        const running = (async () => {
          for (const ms of workMs) {
            await pace.turn(never);
            turns.push(clock.nowMs());
            await clock.sleep(ms);
          }
          over = true;
        })();
        while (!over) await clock.advance(60_000);
        await running;
        for (const [first, from] of turns.entries())
          for (const [last, to] of turns.entries())
            if (last >= first)
              expect((last - first + 1) * pace.size).toBeLessThanOrEqual(
                pace.size + (rate * (to - from)) / 1_000 + 1e-6,
              );
      },
    ),
    { numRuns: 50 },
  );
});

test('a slow rate sends one at a time, a fast one as many as a turn takes, none as many as it may', () => {
  const sizes = [0.1, 4, 50, 10_000, null].map((rate) => createPace(rate, 25, createManualClock()).size);
  expect(sizes).toEqual([1, 1, 10, 25, 25]);
});

test('whoever waits for his turn is let go when the signal aborts', async () => {
  const clock = createManualClock();
  const pace = createPace(0.01, 25, clock);
  await pace.turn(never);
  const stopping = new AbortController();
  const turn = pace.turn(stopping.signal);
  stopping.abort();
  await turn;
  expect(clock.nowMs()).toBe(createManualClock().nowMs());
});
