import { createRedis, type Redis, type RedisOptions } from '#lib/redis';
import { type Logger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { fastestOfThreeMs } from '../../support/fastest.ts';
import { seriesOf } from '../../support/series.ts';
import { waitUntil, within } from '../../support/wait-until.ts';
import { type OwnRedis, startOwnRedis } from './redis-server.ts';

const open: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await within('it stops', 10_000, part.stop());
});

const ownRedis = async (settings?: Record<string, string>, port?: number): Promise<OwnRedis> => {
  const server = await startOwnRedis(settings, port);
  open.push(server);
  return server;
};
const clientOf = (url: string, options: Partial<RedisOptions> = {}): { redis: Redis; events: string[] } => {
  const events: string[] = [];
  const note = (fields: { event: string }): void => void events.push(fields.event);
  const log: Logger = { debug: note, info: note, warn: note, error: note, isOn: () => true };
  const redis = createRedis({ url, name: 'test', clock: systemClock, log, coolDownMs: 300, ...options });
  open.push(redis);
  return { redis, events };
};

const key = Buffer.from([0, 1, 0xff, 0x0d, 0x0a]);
const value = Buffer.from([0xfe, 0, 0x0a]);
const inAMinute = (): number => Date.now() + 60_000;
const away = { code: 'redis_unavailable' };
/** The time that it takes to fail. */
const failsWithinMs = async (work: Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await expect(work).rejects.toMatchObject(away);
  return performance.now() - startedAt;
};
const eventuallyAnswers = (redis: Redis): Promise<unknown> =>
  waitUntil('Redis is asked again', () => redis.getMany([key]).then(Boolean, () => false), { timeoutMs: 30_000 });

describe('a Redis client', () => {
  it('keeps bytes as they are, in order, and knows what is not there', async () => {
    const { redis } = clientOf((await ownRedis()).url);
    await redis.start();
    const expiresAtMs = inAMinute();
    await redis.setIfFree([{ key, value, expiresAtMs }]);
    expect(await redis.getMany([Buffer.from('none'), key])).toEqual([undefined, { value, expiresAtMs }]);
    expect(await redis.getMany([])).toEqual([]);
  });

  it('has each key expire at its own time', async () => {
    const server = await ownRedis();
    const { redis } = clientOf(server.url);
    await redis.start();
    const expiresAtMs = inAMinute();
    await redis.setIfFree([{ key: Buffer.from('a'), value, expiresAtMs }]);
    expect(await server.command('PEXPIRETIME', 'a')).toBe(`:${expiresAtMs}\r\n`);
  });

  it('does not take for its own what never expires', async () => {
    const server = await ownRedis();
    const { redis } = clientOf(server.url);
    await redis.start();
    await server.command('SET', 'a', '1');
    expect(await redis.getMany([Buffer.from('a')])).toEqual([undefined]);
  });

  it('asks again by the same script where the server has forgotten it', async () => {
    const server = await ownRedis();
    const { redis } = clientOf(server.url);
    await redis.start();
    await redis.getMany([key]);
    await server.command('SCRIPT', 'FLUSH');
    expect(await redis.getMany([key])).toEqual([undefined]);
  });

  it('counts its calls, and says whether Redis is there', async () => {
    const metrics = new Metrics();
    const server = await ownRedis();
    const { redis } = clientOf(server.url, { metrics });
    const up = async (): Promise<unknown> => seriesOf(metrics, 'hookline_dependency_up');
    expect(await up()).toEqual({ 'dependency="redis"': 0 });
    await redis.start();
    await redis.getMany([key]);
    expect(await up()).toEqual({ 'dependency="redis"': 1 });
    await server.hang();
    await failsWithinMs(redis.getMany([key]));
    await failsWithinMs(redis.getMany([key]));
    expect(await seriesOf(metrics, 'hookline_redis_calls_total')).toEqual({
      'outcome="answered"': 1,
      'outcome="failed"': 1,
      'outcome="refused"': 1,
    });
    expect(await metrics.metrics()).toContain('hookline_redis_call_seconds_count 2\n');
    expect(await up()).toEqual({ 'dependency="redis"': 0 });
    server.resume();
    await eventuallyAnswers(redis);
    expect(await up()).toEqual({ 'dependency="redis"': 1 });
  });

  it('starts without a server, fails at once, and finds it when it comes', async () => {
    const [port = 0] = await freePorts(1);
    const { redis, events } = clientOf(`redis://127.0.0.1:${port}`, { startTimeoutMs: 100 });
    await redis.start();
    expect(events).toEqual(['redis.away']);
    expect(await fastestOfThreeMs(() => failsWithinMs(redis.getMany([key])))).toBeLessThan(100);

    await ownRedis({}, port);
    await eventuallyAnswers(redis);
    expect(events.at(-1)).toBe('redis.back');
  });

  it('answers within its time limit when the server hangs, then at once, and goes on when it is back', async () => {
    const server = await ownRedis();
    const { redis, events } = clientOf(server.url, { timeLimitMs: 150, coolDownMs: 1_000 });
    await redis.start();
    await server.hang();
    const first = await failsWithinMs(redis.getMany([key]));
    expect(first).toBeGreaterThanOrEqual(140);
    expect(first).toBeLessThan(1_000);
    expect(await fastestOfThreeMs(() => failsWithinMs(redis.getMany([key])))).toBeLessThan(50);
    expect(events).toEqual(['redis.away']);
    server.resume();
    await eventuallyAnswers(redis);
    expect(events).toEqual(['redis.away', 'redis.back']);
  });

  it('fails what is under way when the server dies', async () => {
    const server = await ownRedis();
    const { redis } = clientOf(server.url, { timeLimitMs: 10_000 });
    await redis.start();
    await server.hang();
    const asked = redis.getMany([key]);
    void server.stop();
    expect(await failsWithinMs(asked)).toBeLessThan(5_000);
  });

  it('takes one refused write for a failure of all: the caller knows of none', async () => {
    const server = await ownRedis({ maxmemory: '1' });
    const { redis } = clientOf(server.url);
    await redis.start();
    await expect(redis.setIfFree([{ key, value, expiresAtMs: inAMinute() }])).rejects.toMatchObject(away);
  });

  it('still asks a server that is full for what it has, and says that it takes no more', async () => {
    const server = await ownRedis();
    const { redis, events } = clientOf(server.url);
    await redis.start();
    const expiresAtMs = inAMinute();
    await redis.setIfFree([{ key, value, expiresAtMs }]);
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    for (const name of ['a', 'b'])
      await expect(redis.setIfFree([{ key: Buffer.from(name), value, expiresAtMs }])).rejects.toMatchObject(away);
    expect(await redis.getMany([key, Buffer.from('a')])).toEqual([{ value, expiresAtMs }, undefined]);
    expect(events).toEqual(['redis.write_refused']);
  });

  it('stops at once, whatever the server does', async () => {
    const [port = 0] = await freePorts(1);
    const { redis: unconnected } = clientOf(`redis://127.0.0.1:${port}`, { startTimeoutMs: 50 });
    await unconnected.start();
    await within('it stops without a server', 1_000, unconnected.stop());

    const server = await ownRedis();
    const { redis: hanging } = clientOf(server.url);
    await hanging.start();
    await server.hang();
    void hanging.getMany([key]).catch(() => undefined);
    await within('it stops with a server that hangs', 1_000, hanging.stop());
  });
});

describe('a server that must not be used', () => {
  it.each(['allkeys-lru', 'volatile-ttl'])('is refused at the start: it evicts by %s', async (policy) => {
    const server = await ownRedis({ 'maxmemory-policy': policy });
    const { redis } = clientOf(server.url);
    await expect(redis.start()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('noeviction') as unknown,
    });
  });

  it('is taken with a warning where it forbids to look', async () => {
    const server = await ownRedis();
    await server.command('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '+@all', '-config');
    const { redis, events } = clientOf(`redis://app:secret@127.0.0.1:${server.port}`);
    await redis.start();
    expect(events).toEqual(['redis.unchecked']);
    expect(await redis.getMany([key])).toEqual([undefined]);
  });

  it('is treated as away as soon as it is told to evict while it runs, and used again when that is taken back', async () => {
    const server = await ownRedis();
    const { redis, events } = clientOf(server.url, { vetEveryMs: 50 });
    await redis.start();
    expect(await redis.getMany([key])).toEqual([undefined]);
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
    await waitUntil('it is refused', () => events.includes('redis.refused'));
    await expect(redis.getMany([key])).rejects.toMatchObject(away);
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await eventuallyAnswers(redis);
    expect(events.filter((event) => event === 'redis.refused')).toHaveLength(1);
  });

  it('is treated as away when it comes back with an eviction policy', async () => {
    const server = await ownRedis();
    const { redis, events } = clientOf(server.url);
    await redis.start();
    await server.stop();
    await ownRedis({ 'maxmemory-policy': 'allkeys-lru' }, server.port);
    await waitUntil('it is refused', () => events.includes('redis.refused'));
    await expect(redis.getMany([key])).rejects.toMatchObject(away);
  });
});
