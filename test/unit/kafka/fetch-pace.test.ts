import { createFetchPace, restingWaitMs } from '../../../libs/kafka/consuming/fetch-pace.ts';

const atOnce = { minBytes: 1, maxWaitTime: 100 };
const atRest = { minBytes: 1, maxWaitTime: restingWaitMs };

function setUp(gatherMs: number, mayRest = (): boolean => true) {
  const pace = createFetchPace({ gatherMs, mayRest });
  let nowMs = 1_000;
  return {
    /** An answer after so long, and what the fetch behind it asks for. */
    after(ms: number, sends: number) {
      nowMs += ms;
      pace.found(sends, nowMs);
      return pace.next(nowMs);
    },
    next: () => pace.next(nowMs),
  };
}

/** One send each so many milliseconds, for so long. */
function steady({ after }: ReturnType<typeof setUp>, everyMs: number, forMs: number) {
  const asked = [];
  for (let ms = 0; ms < forMs; ms += everyMs) asked.push(after(everyMs, 1));
  return asked;
}

test('alone, and the first after quiet, a record waits for no other: no fetch gathers that could be the one to find it', () => {
  const broker = setUp(10);
  expect(broker.next()).toEqual(atRest);
  expect(broker.after(5_000, 1)).toEqual(atOnce);
  expect(broker.after(100, 0)).toEqual(atRest);
  steady(broker, 5, 1_000);
  // It gathered, and nothing came.
  expect(broker.after(10, 0)).toEqual(atRest);
  expect(broker.after(600, 1)).toEqual(atOnce);
});

test('150 a second are gathered, for the gather time and no longer', () => {
  const broker = setUp(15);
  const asked = steady(broker, 1_000 / 150, 2_000);
  expect(asked.slice(-100).every(({ minBytes, maxWaitTime }) => minBytes === 65_536 && maxWaitTime === 15)).toBe(true);
});

test('where too few would come within the gather time, nobody waits: 100 a second, or a gather time of 0', () => {
  expect(steady(setUp(10), 10, 2_000).every(({ minBytes }) => minBytes === 1)).toBe(true);
  expect(steady(setUp(0), 1, 2_000).every(({ minBytes }) => minBytes === 1)).toBe(true);
});

test('of many, none waits for longer than until enough of them have come', () => {
  const broker = setUp(50);
  const times = steady(broker, 1, 2_000).map(({ maxWaitTime }) => maxWaitTime);
  expect(times.at(-1)).toBe(20);
  for (let i = 0; i < 100; i += 1) broker.after(1, 50);
  expect(broker.next()).toEqual(atOnce);
});

test('while a partition is paused no fetch rests, so that it goes on soon', () => {
  let isPaused = true;
  const broker = setUp(10, () => !isPaused);
  expect(broker.after(100, 0)).toEqual(atOnce);
  isPaused = false;
  expect(broker.after(100, 0)).toEqual(atRest);
});
