import { setTimeout as delay } from 'node:timers/promises';
import { createRateLimiter, createRedisBuckets, type RateLimiter } from '#lib/rate-limit';
import { createRedis, type Redis } from '#lib/redis';
import { silentLogger, systemClock } from '#lib/runtime';
import { fastestOfThreeMs } from '../../support/fastest.ts';
import { uniquePrefix } from '../../support/servers.ts';
import { waitUntil, within } from '../../support/wait-until.ts';
import { describeBuckets } from '../../unit/rate-limit/buckets-conformance.ts';
import { type OwnRedis, startOwnRedis } from '../dedup/redis-server.ts';

let server: OwnRedis;
const clients: Redis[] = [];
const connect = async (): Promise<Redis> => {
  const redis = createRedis({ url: server.url, name: 'test', clock: systemClock, log: silentLogger, coolDownMs: 100 });
  clients.push(redis);
  await redis.start();
  return redis;
};

beforeAll(async () => {
  server = await startOwnRedis();
});
afterAll(async () => {
  for (const client of clients) await within('it stops', 10_000, client.stop());
  await server.stop();
});

describeBuckets('Redis', async () => {
  const redis = await connect();
  const prefix = uniquePrefix('rate');
  return { buckets: (processId) => createRedisBuckets({ redis, prefix, processId }), pass: (ms) => delay(ms) };
});

describe('two processes that share one rate through Redis', () => {
  const rate = { perSecond: 500, burst: 100 };
  const limiter = async (prefix: string, processId: string): Promise<RateLimiter> =>
    createRateLimiter({
      buckets: createRedisBuckets({ redis: await connect(), prefix, processId }),
      clock: systemClock,
      log: silentLogger,
    });

  /** A turn of asking takes no longer, unless others have the processor. */
  const turnMs = 10;

  /** Takes from both as fast as they answer. @param ms of asking: the time of others does not count @returns when each permit was granted */
  async function flood(limiters: RateLimiter[], ms: number): Promise<number[]> {
    const grantedAtMs: number[] = [];
    await Promise.all(
      limiters.map(async (each) => {
        for (let [askedMs, lastMs] = [0, performance.now()]; askedMs < ms;) {
          if ((await each.take('k', rate)).granted) grantedAtMs.push(performance.now());
          await new Promise(setImmediate);
          const nowMs = performance.now();
          [askedMs, lastMs] = [askedMs + Math.min(nowMs - lastMs, turnMs), nowMs];
        }
      }),
    );
    return grantedAtMs.sort((a, b) => a - b);
  }

  /** By how much the worst window had more than the burst and the rate. */
  function worstExcess(grantedAtMs: readonly number[]): number {
    // Kadane's sum: a permit adds one, the time until the next takes away what the rate brings.
    let [worst, sum, lastMs] = [Number.NEGATIVE_INFINITY, 0, grantedAtMs[0] ?? 0];
    for (const atMs of grantedAtMs) {
      sum = Math.max(0, sum - ((atMs - lastMs) / 1000) * rate.perSecond) + 1;
      [worst, lastMs] = [Math.max(worst, sum), atMs];
    }
    return worst - rate.burst;
  }
  /** The permits that the rate brings in the longest time of an answer. */
  const inAnAnswer = rate.perSecond * 0.2;

  it('get all of it together, and in no window more', async () => {
    const prefix = uniquePrefix('rate');
    const granted = await flood([await limiter(prefix, 'a'), await limiter(prefix, 'b')], 2_000);
    expect(worstExcess(granted)).toBeLessThanOrEqual(inAnAnswer);
    expect(granted.length).toBeGreaterThan(1_000);
  });

  it('(mutant) get too much where each has a bucket of its own, and the same check says so', async () => {
    const granted = await flood(
      [await limiter(uniquePrefix('rate'), 'a'), await limiter(uniquePrefix('rate'), 'b')],
      1_000,
    );
    expect(worstExcess(granted)).toBeGreaterThan(inAnAnswer);
  });

  it('get one burst more when Redis forgets everything, its scripts too', async () => {
    const prefix = uniquePrefix('rate');
    const flooding = flood([await limiter(prefix, 'a'), await limiter(prefix, 'b')], 2_000);
    await delay(1_000);
    await server.command('FLUSHALL');
    await server.command('SCRIPT', 'FLUSH');
    const granted = await flooding;
    expect(worstExcess(granted)).toBeLessThanOrEqual(rate.burst + inAnAnswer);
    expect(granted.length).toBeGreaterThan(1_000);
  });

  it('go on with their halves while Redis hangs and dies, share again when it is back, and wait for nothing', async () => {
    const prefix = uniquePrefix('rate');
    const limiters = [await limiter(prefix, 'a'), await limiter(prefix, 'b')];
    await flood(limiters, 500);
    await server.hang();
    const whileItHangs = await flood(limiters, 1_500);
    expect(whileItHangs.length).toBeGreaterThan(500);
    expect(worstExcess(whileItHangs)).toBeLessThanOrEqual(inAnAnswer);
    const { port } = server;
    await server.stop();
    const whileItIsAway = await flood(limiters, 1_500);
    expect(whileItIsAway.length).toBeGreaterThan(600);
    expect(worstExcess(whileItIsAway)).toBeLessThanOrEqual(inAnAnswer);
    expect(await fastestOfThreeMs(() => slowestTake(limiters))).toBeLessThan(150);
    server = await startOwnRedis({}, port);
    await waitUntil(
      'both ask Redis again',
      async () => {
        await flood(limiters, 100);
        return /p:a[^]*p:b|p:b[^]*p:a/.test(await server.command('HKEYS', `${prefix}k`));
      },
      { timeoutMs: 30_000 },
    );
    const afterwards = await flood(limiters, 1_000);
    expect(worstExcess(afterwards)).toBeLessThanOrEqual(inAnAnswer);
  });

  async function slowestTake(limiters: RateLimiter[]): Promise<number> {
    let slowest = 0;
    for (let turn = 0; turn < 200; turn += 1)
      for (const each of limiters) {
        const beganAtMs = performance.now();
        await each.take(`k${turn % 3}`, rate);
        slowest = Math.max(slowest, performance.now() - beganAtMs);
      }
    return slowest;
  }
});
