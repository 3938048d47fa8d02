import { createSendLinger } from '../../../libs/kafka/producing/send-linger.ts';

/** One record each so many milliseconds, for two seconds: how long each would wait. */
function steady(everyMs: number, { lingerMs, leaders = 1 }: { lingerMs?: number; leaders?: number } = {}) {
  const linger = createSendLinger(2);
  const waits: number[] = [];
  for (let ms = 0; ms < 2_000; ms += everyMs)
    waits.push(linger.next(lingerMs === undefined ? {} : { lingerMs }, leaders, ms));
  return { linger, waits, last: waits.at(-1) };
}

test('alone, and the first after quiet, a record waits for no other', () => {
  const linger = createSendLinger(2);
  expect(linger.next({}, 1, 0)).toBe(0);
  expect(linger.next({ lingerMs: 25 }, 1, 5_000)).toBe(0);
  const { linger: busy, last } = steady(1);
  expect(last).toBe(2);
  expect([busy.next({}, 1, 4_000), busy.next({ lingerMs: 25 }, 1, 6_000)]).toEqual([0, 0]);
});

test('it waits where another is expected meanwhile, and one that nobody waits for already where that is as likely as not', () => {
  expect(steady(4).waits.every((wait) => wait === 0)).toBe(true);
  expect(steady(8, { lingerMs: 5 }).last).toBe(5);
  expect(steady(12, { lingerMs: 5 }).waits.every((wait) => wait === 0)).toBe(true);
});

test('the more there are, the shorter the wait: for eight', () => {
  expect(steady(2, { lingerMs: 50 }).last).toBeCloseTo(16, 0);
  expect(steady(0.1).last).toBeCloseTo(0.8, 1);
});

test('what goes to others does not count', () => {
  expect(steady(1, { leaders: 3 }).waits.every((wait) => wait === 0)).toBe(true);
});
