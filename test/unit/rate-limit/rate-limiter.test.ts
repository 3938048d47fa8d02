import fc from 'fast-check';
import { createRateLimiter, type Permit, type Rate, type RateLimiter } from '#lib/rate-limit';
import { createManualClock, silentLogger } from '#lib/runtime';
import { createFakeServer, type Mutant } from './fake-buckets.ts';

function setUp(processes = 1) {
  const clock = createManualClock();
  const server = createFakeServer(clock);
  const limiters = Array.from({ length: processes }, (_, index) =>
    createRateLimiter({ buckets: server.buckets(`p${index}`), clock, log: silentLogger }),
  );
  return { clock, server, limiters, limiter: limiters[0] as RateLimiter };
}

async function takeMany(limiter: RateLimiter, count: number, rate: Rate): Promise<Permit[]> {
  return Promise.all(Array.from({ length: count }, () => limiter.take('k', rate)));
}
const grantedOf = (permits: Permit[]): number => permits.filter(({ granted }) => granted).length;
/** How many are granted of ten a millisecond, for so long. */
async function flood(limiters: RateLimiter[], clock: { advance(ms: number): Promise<void> }, ms: number, rate: Rate) {
  const permits: Promise<Permit>[] = [];
  for (let at = 0; at < ms; at += 1) {
    for (const limiter of limiters) for (let each = 0; each < 10; each += 1) permits.push(limiter.take('k', rate));
    await clock.advance(1);
  }
  return grantedOf(await Promise.all(permits));
}

test('a burst is granted whole, and the next is told when it may', async () => {
  const { limiter, clock } = setUp();
  const rate = { perSecond: 2, burst: 5 };
  expect(grantedOf(await takeMany(limiter, 6, rate))).toBe(5);
  expect(await limiter.take('k', rate)).toEqual({ granted: false, retryAfterMs: 500 });
  await clock.advance(499);
  expect(await limiter.take('k', rate)).toMatchObject({ granted: false });
  await clock.advance(1);
  expect(await limiter.take('k', rate)).toMatchObject({ granted: true });
});

test('a permit says what is left for all processes: after the last answer of the bucket, and what came since', async () => {
  const { limiters, clock } = setUp(2);
  const [one, other] = limiters as RateLimiter[] as [RateLimiter, RateLimiter];
  const rate = { perSecond: 10, burst: 10 };
  const leftAt = async (limiter: RateLimiter): Promise<number> => {
    const permit = await limiter.take('k', rate);
    return permit.granted ? Math.floor(permit.left ?? -1) : -1;
  };
  expect([await leftAt(one), await leftAt(one), await leftAt(other), await leftAt(other)]).toEqual([9, 8, 7, 6]);
  await clock.advance(60_000);
  expect(await leftAt(one)).toBe(9);
});

test('what is left can be asked for without taking any, and is not known while the bucket is away', async () => {
  const { limiters, clock, server } = setUp(2);
  const [one, other] = limiters as [(typeof limiters)[0], (typeof limiters)[0]];
  const rate = { perSecond: 10, burst: 10 };
  expect(await one?.left('k', rate)).toBe(10);
  for (let taken = 0; taken < 3; taken += 1) await other?.take('k', rate);
  expect([await one?.left('k', rate), await one?.left('k', rate), await other?.left('k', rate)]).toEqual([7, 7, 7]);
  await clock.advance(100);
  expect(await one?.left('k', rate)).toBe(8);
  server.away = true;
  expect(await one?.left('k', rate)).toBeUndefined();
});

test('keys do not share', async () => {
  const { limiter } = setUp();
  const rate = { perSecond: 1, burst: 1 };
  expect(await limiter.take('a', rate)).toMatchObject({ granted: true });
  expect(await limiter.take('b', rate)).toMatchObject({ granted: true });
  expect(await limiter.take('a', rate)).toMatchObject({ granted: false });
});

test('processes share one rate: together they get all of it, and no more', async () => {
  const { limiters, clock } = setUp(3);
  const rate = { perSecond: 1_000, burst: 100 };
  const granted = await flood(limiters, clock, 1_000, rate);
  expect(granted).toBeLessThanOrEqual(1_100);
  expect(granted).toBeGreaterThan(1_000);
});

test('at 10,000 a second nobody waits but the first, and the shared bucket is asked twenty times', async () => {
  const { limiter, clock, server } = setUp();
  server.delays = () => [1, 1];
  const rate = { perSecond: 12_000, burst: 12_000 };
  const first = limiter.take('k', rate);
  await clock.advance(2);
  await first;
  let late = 0;
  for (let at = 0; at < 1_000; at += 1) {
    let ended = 0;
    for (let each = 0; each < 10; each += 1)
      void limiter.take('k', rate).then(({ granted }) => (ended += Number(granted)));
    // Promises alone: no time passes.
    await new Promise(setImmediate);
    late += 10 - ended;
    await clock.advance(1);
  }
  expect(late).toBe(0);
  expect(server.asked).toBeLessThan(25);
});

test('above the rate the shared bucket is not asked for each that is refused', async () => {
  const { limiter, clock, server } = setUp();
  await flood([limiter], clock, 1_000, { perSecond: 5, burst: 5 });
  expect(server.asked).toBeLessThan(15);
});

test('a change of the rate holds from the next permit on', async () => {
  const { limiter, clock } = setUp();
  await limiter.take('k', { perSecond: 1_000, burst: 1_000 });
  const slow = { perSecond: 1, burst: 2 };
  expect(grantedOf(await takeMany(limiter, 10, slow))).toBeLessThanOrEqual(2);
  await clock.advance(2_000);
  expect(grantedOf(await takeMany(limiter, 10, slow))).toBe(2);
  expect(await flood([limiter], clock, 1_000, { perSecond: 500, burst: 100 })).toBeGreaterThan(450);
});

describe('with the shared bucket away', () => {
  test('each process has its share of the rate and of what was free, and nobody waits', async () => {
    const { limiters, limiter, clock, server } = setUp(4);
    const rate = { perSecond: 100, burst: 20 };
    for (const each of limiters) await each.take('k', rate);
    await clock.advance(2_000);
    await limiter.take('k', rate);
    server.away = true;
    const granted = await flood([limiter], clock, 1_000, rate);
    expect(granted).toBeGreaterThanOrEqual(25);
    expect(granted).toBeLessThanOrEqual(5 + 25 + 1);
  });

  test('a process that has never reached it has rate and burst to itself', async () => {
    const { limiter, server, clock } = setUp();
    server.away = true;
    const rate = { perSecond: 1, burst: 5 };
    expect(grantedOf(await takeMany(limiter, 10, rate))).toBe(5);
    await clock.advance(1_000);
    expect(grantedOf(await takeMany(limiter, 10, rate))).toBe(1);
  });

  test('what was given out meanwhile is taken off when it is back', async () => {
    const { limiter, limiters, server, clock } = setUp(2);
    const rate = { perSecond: 0.1, burst: 10 };
    server.away = true;
    expect(grantedOf(await takeMany(limiter, 20, rate))).toBe(10);
    server.away = false;
    await clock.advance(1_000);
    // It is asked in the background.
    await limiter.take('k', rate);
    await clock.advance(1);
    expect(grantedOf(await takeMany(limiters[1] as RateLimiter, 20, rate))).toBe(0);
  });

  test('it is asked once a second', async () => {
    const { limiter, server, clock } = setUp();
    server.away = true;
    await flood([limiter], clock, 3_000, { perSecond: 1_000, burst: 1_000 });
    expect(server.asked).toBeLessThanOrEqual(4);
  });
});

test('a key beyond ten thousand makes the one known longest be forgotten', async () => {
  const { limiter, server } = setUp();
  server.away = true;
  const rate = { perSecond: 0.001, burst: 1 };
  for (let key = 0; key <= 10_000; key += 1) await limiter.take(String(key), rate);
  expect(await limiter.take('1', rate)).toMatchObject({ granted: false });
  expect(await limiter.take('0', rate)).toMatchObject({ granted: true });
});

describe('over any window, in any interleaving of any processes', () => {
  const maxDelayMs = 20;
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('take' as const), process: fc.nat(3), count: fc.nat(8) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.oneof(fc.nat(30), fc.nat(3_000)) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), process: fc.nat(3) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('delay' as const),
        there: fc.nat(maxDelayMs),
        back: fc.nat(maxDelayMs),
      }),
    },
  );
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
  const steps = fc.array(step, { minLength: 10, maxLength: 120 });
  const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 400 }), burst: fc.integer({ min: 1, max: 60 }) });

  /** The largest number by which a window had more than burst + rate · t. */
  async function worstExcess(given: Step[], rate: Rate, mutant?: Mutant): Promise<number> {
    const clock = createManualClock();
    const server = createFakeServer(clock, mutant);
    let started = 0;
    const start = (): RateLimiter =>
      createRateLimiter({ buckets: server.buckets(`p${started++}`), clock, log: silentLogger });
    const limiters = [start(), start(), start(), start()];
    const grantedAtMs: number[] = [];
    for (const each of given) {
      if (each.kind === 'pass') await clock.advance(each.ms);
      else if (each.kind === 'delay') server.delays = () => [each.there, each.back];
      else if (each.kind === 'crash') limiters[each.process] = start();
      else {
        for (let count = 0; count <= each.count; count += 1) {
          void limiters[each.process]?.take('k', rate).then(({ granted }) => {
            if (granted) grantedAtMs.push(clock.monotonicMs());
          });
        }
        await new Promise(setImmediate);
      }
    }
    await clock.advance(1_000);
    let worst = Number.NEGATIVE_INFINITY;
    for (const [from, fromMs] of grantedAtMs.entries())
      for (let to = from; to < grantedAtMs.length; to += 1) {
        const windowSeconds = ((grantedAtMs[to] as number) - fromMs) / 1000;
        worst = Math.max(worst, to - from + 1 - rate.burst - rate.perSecond * windowSeconds);
      }
    return worst;
  }
  const holds = (mutant?: Mutant) =>
    fc.asyncProperty(steps, rates, async (value, rate) => {
      const inAnAnswer = (rate.perSecond * maxDelayMs) / 1000;
      expect(await worstExcess(value, rate, mutant)).toBeLessThanOrEqual(inAnAnswer + 1e-6);
    });

  test('no more than burst + rate · t is granted, and what the rate brings in the time of one answer', async () => {
    await fc.assert(holds(), { numRuns: 400 });
  });

  test.each<Mutant>(['what processes hold is not counted', 'what processes hold is counted for 100 ms'])(
    '(mutant) where %s, the same check says so',
    async (mutant) => {
      const result = await fc.check(holds(mutant), { numRuns: 3_000, endOnFailure: true });
      expect(result.failed).toBe(true);
    },
  );
});
