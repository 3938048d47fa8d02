import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig, redisFields, redisRelations } from '#lib/config';
import { createRedis, type Redis, redisAccess, type RedisOptions } from '#lib/redis';
import { authority, broker, client } from '../kafka/certificates.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { type Logger, systemClock } from '#lib/runtime';
import { waitUntil, within } from '../../support/wait-until.ts';
import { type OwnRedis, startOwnRedis } from './redis-server.ts';
import { masterName, startSentinels } from './sentinel.ts';
import { createWorld, type World } from './world.ts';

const dir = mkdtempSync(join(tmpdir(), 'hookline-redis-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};
const caFile = file('ca.pem', authority);
const otherCaFile = file('other.pem', client.cert);
const open: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await within('it stops', 30_000, part.stop());
});
afterAll(() => rmSync(dir, { recursive: true }));

function clientOf(env: Record<string, string>, options: Partial<RedisOptions> = {}): { redis: Redis; lines: string[] } {
  const lines: string[] = [];
  const note = ({ event, err }: { event: string; err?: unknown }): void =>
    void lines.push(`${event} ${(err as Error | undefined)?.message ?? ''}`);
  const log: Logger = { debug: note, info: note, warn: note, error: note, isOn: () => true };
  const access = redisAccess(readConfig(redisFields, env, [redisRelations]));
  const limits = { coolDownMs: 100, timeLimitMs: 2_000 };
  const redis = createRedis({ ...access, name: 'test', clock: systemClock, log, ...limits, ...options });
  open.push(redis);
  return { redis, lines };
}
const key = Buffer.from('key');
const value = Buffer.from('value');
const inAMinute = (): number => Date.now() + 60_000;
const eventuallyAnswers = (redis: Redis): Promise<unknown> =>
  waitUntil('Redis answers', () => redis.getMany([key]).then(Boolean, () => false));

describe('Redis with TLS', () => {
  const secured = async (): Promise<OwnRedis> => {
    const server = await startOwnRedis({
      'tls-port': '0',
      'tls-cert-file': file('server.pem', broker.cert),
      'tls-key-file': file('server-key.pem', broker.key),
      'tls-ca-cert-file': caFile,
      'tls-auth-clients': 'no',
    });
    open.push(server);
    return server;
  };
  /** Beside the port without TLS, for the test's own commands. */
  const openTls = async (server: OwnRedis): Promise<number> => {
    const [port = 0] = await freePorts(1);
    expect(await server.command('CONFIG', 'SET', 'tls-port', String(port))).toBe('+OK\r\n');
    return port;
  };

  it('is verified by the file of CAs, which is read anew for each connection', async () => {
    const server = await secured();
    const port = await openTls(server);
    const ownCaFile = file('own.pem', authority);
    const { redis } = clientOf({ HOOKLINE_REDIS_URL: `rediss://127.0.0.1:${port}`, HOOKLINE_REDIS_CA_FILE: ownCaFile });
    await redis.start();
    await redis.setIfFree([{ key, value, expiresAtMs: inAMinute() }]);
    expect(await redis.getMany([key])).toMatchObject([{ value }]);

    file('own.pem', client.cert);
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await waitUntil('the new connection is refused', () =>
      redis.getMany([key]).then(
        () => false,
        () => true,
      ),
    );
    file('own.pem', authority);
    await eventuallyAnswers(redis);
  });

  it.each([
    ['of another authority', '127.0.0.1', otherCaFile],
    ['of no public authority', '127.0.0.1', ''],
    ['for another host', 'localhost', caFile],
  ])('is not used with a certificate %s, and the log says why', async (_why, host, ca) => {
    const server = await secured();
    const port = await openTls(server);
    const { redis, lines } = clientOf({
      HOOKLINE_REDIS_URL: `rediss://:hidden@${host}:${port}`,
      HOOKLINE_REDIS_CA_FILE: ca,
    });
    await redis.start();
    await expect(redis.getMany([key])).rejects.toMatchObject({ code: 'redis_unavailable' });
    expect(lines.join('\n')).toMatch(/certificate|altnames/i);
    expect(lines.join('\n')).not.toMatch(/hidden/);
  });
});

describe('a client of sentinels', () => {
  it('finds the new master after a failover', async () => {
    const sentinels = await startSentinels();
    open.push(sentinels);
    const { redis, lines } = clientOf({
      HOOKLINE_REDIS_URL: 'redis://nowhere.invalid',
      HOOKLINE_REDIS_SENTINELS: sentinels.sentinels.join(','),
      HOOKLINE_REDIS_SENTINEL_MASTER: masterName,
    });
    await redis.start();
    await redis.setIfFree([{ key, value, expiresAtMs: inAMinute() }]);
    const before = await sentinels.masterPort();
    await sentinels.killMaster();
    await waitUntil('there is another master', async () => (await sentinels.masterPort()) !== before);
    await eventuallyAnswers(redis);
    await redis.setIfFree([{ key: Buffer.from('after'), value, expiresAtMs: inAMinute() }]);
    expect(await redis.getMany([Buffer.from('after')])).toMatchObject([{ value }]);
    expect(lines.join('\n')).not.toMatch(/redis\.refused/);
  });

  it('still asks the sentinels when the next look at a server that is gone would have been due', async () => {
    const sentinels = await startSentinels();
    open.push(sentinels);
    const vetEveryMs = 200;
    const env = {
      HOOKLINE_REDIS_SENTINELS: sentinels.sentinels.join(','),
      HOOKLINE_REDIS_SENTINEL_MASTER: masterName,
    };
    const { redis } = clientOf(env, { vetEveryMs });
    await redis.start();
    expect(await redis.getMany([key])).toEqual([undefined]);
    await sentinels.hang();
    await sentinels.master.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await delay(5 * vetEveryMs);
    sentinels.resume();
    await eventuallyAnswers(redis);
  });

  it('starts without an answer of any sentinel, and stops', async () => {
    const { redis, lines } = clientOf({
      HOOKLINE_REDIS_SENTINELS: '127.0.0.1:1',
      HOOKLINE_REDIS_SENTINEL_MASTER: masterName,
    });
    await redis.start();
    await expect(redis.getMany([key])).rejects.toMatchObject({ code: 'redis_unavailable' });
    expect(lines.join('\n')).toMatch(/sentinels are unreachable/);
  });
});

describe('Redis behind sentinels', () => {
  let world: World;
  beforeAll(async () => void (world = await createWorld()));
  afterAll(() => world?.stop());

  it('is found, and found again after a failover under load: no webhook is lost or becomes a second event', async () => {
    const sentinels = await startSentinels();
    open.push(sentinels);
    const env = {
      HOOKLINE_REDIS_URL: 'redis://nowhere.invalid',
      HOOKLINE_REDIS_SENTINELS: sentinels.sentinels.join(','),
      HOOKLINE_REDIS_SENTINEL_MASTER: masterName,
    };
    const { redis } = clientOf(env);
    await redis.start();
    await redis.setIfFree([{ key, value, expiresAtMs: inAMinute() }]);

    const service = await world.spawn(env);
    const before = await sentinels.masterPort();
    const ids = Array.from({ length: 1_500 }, (_, index) => `evt-${index}`);
    let received = 0;
    const receive = async (some: readonly string[]): Promise<void> => {
      await world.receive(some.map((id) => ({ id })));
      received += some.length;
    };
    const says = (event: string) => (): boolean => service.lines.some((line) => line.includes(event));
    // Each webhook twice, the second time some hundreds later: before, amid and after the failover.
    for (let from = 0; from < ids.length; from += 50) {
      await receive([...ids.slice(from, from + 50), ...(from >= 300 ? ids.slice(from - 300, from - 250) : [])]);
      if (from !== 500) continue;
      // It is at work when its Redis goes.
      await world.committed();
      await sentinels.killMaster();
    }
    await waitUntil('the service misses Redis', says('redis.away'));
    await waitUntil('there is another master', async () => (await sentinels.masterPort()) !== before);
    await eventuallyAnswers(redis);
    await redis.setIfFree([{ key: Buffer.from('after'), value, expiresAtMs: inAMinute() }]);
    await receive(ids.slice(-300));
    const usesRedisAgain = async (): Promise<boolean> => {
      await receive(ids.slice(0, 10));
      return says('redis.back')();
    };
    await waitUntil('the service uses Redis again', usesRedisAgain, { everyMs: 200 });
    await world.committed();

    const outcomes = await world.outcomes();
    expect(
      outcomes
        .events()
        .map(({ event_id: id }) => id)
        .sort(),
    ).toEqual([...ids].sort());
    expect(outcomes.duplicates()).toHaveLength(received - ids.length);
    expect(outcomes.deadLetters()).toEqual([]);
    expect(await world.stopServices()).toEqual([0]);
  });
});
